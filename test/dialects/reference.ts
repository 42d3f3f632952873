/** The tables of docs/reference/dialects.md, made from the tables that the dialects use. */
import { agentsTypes } from '../../src/dialects/wire/agents-wire.js'
import { responsesTypes } from '../../src/dialects/wire/responses-wire.js'
import type { JoinField, StatusReading, TypeRule } from '../../src/dialects/wire/rules.js'
import { wrapperTypes } from '../../src/dialects/wire/run-items.js'
import { blockTables } from './block-reference.js'

const joinNames: { readonly [F in JoinField]: string } = {
  'call-id': '`call_id`',
  id: '`id`',
  'approval-request-id': '`approval_request_id`'
}

const statusNames: { readonly [S in StatusReading]: string } = {
  streamed: 'cut off unless complete',
  call: 'call',
  hosted: 'hosted',
  output: 'output'
}

const factsOf = (rule: TypeRule): string =>
  [
    rule.origin === undefined ? '' : `origin ${rule.origin}`,
    rule.executor === undefined ? '' : `executor ${rule.executor}`,
    rule.selfContained === true ? 'self-contained' : '',
    rule.note ?? ''
  ]
    .filter((fact) => fact !== '')
    .join('; ')

const rowOf = ([type, rule]: readonly [string, TypeRule]): string => {
  const join = (rule.join ?? []).map((field) => joinNames[field]).join(', else ')
  const status = rule.status === undefined ? '' : statusNames[rule.status]
  const namespace = rule.namespace === undefined ? '' : `\`${rule.namespace}\``
  return `| \`${type}\` | \`${rule.kind}\` | ${namespace} | ${join} | ${status} | ${factsOf(rule)} |`
}

const typeTable = (types: Iterable<readonly [string, TypeRule]>): string =>
  [
    '| raw type | kind | namespace | call id from | status read as | also |',
    '|---|---|---|---|---|---|',
    ...Array.from(types, rowOf)
  ].join('\n')

const readings = {
  plain: 'as what it holds',
  handoff: 'a function call or output in the namespace `handoff`',
  input: 'as what it holds; a message has origin user',
  marker: '`marker`: it stands for a call that is in the turn itself'
} as const

/** Every generated table by the name of its markers in the document. */
export const referenceTables: ReadonlyMap<string, string> = new Map([
  ['responses', typeTable(responsesTypes)],
  ['agents-js', typeTable([...agentsTypes].filter(([type]) => !responsesTypes.has(type)))],
  [
    'run-items',
    [
      '| run item | read |',
      '|---|---|',
      ...Array.from(wrapperTypes, ([type, reading]) => `| \`${type}\` | ${readings[reading]} |`)
    ].join('\n')
  ],
  ...blockTables
])
