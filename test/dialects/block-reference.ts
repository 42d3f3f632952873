/** The tables of docs/reference/dialects.md for formats whose messages hold many items. */
import { aiSdkTypes } from '../../src/dialects/ai-sdk.js'
import { aiSdkUiTypes, toolStates } from '../../src/dialects/ai-sdk-ui.js'
import { anthropicTypes } from '../../src/dialects/anthropic.js'
import { chatTypes } from '../../src/dialects/chat-completions.js'
import { geminiTypes } from '../../src/dialects/gemini.js'
import { langchainTypes } from '../../src/dialects/langchain.js'
import type { PartRule, PartTable } from '../../src/dialects/wire/blocks/format.js'

const quoted = (name: string | undefined): string => (name === undefined ? '' : `\`${name}\``)

const factsOf = (rule: PartRule): string =>
  [
    rule.origin === undefined ? '' : `origin ${rule.origin}`,
    rule.executor === undefined ? '' : `executor ${rule.executor}`,
    rule.partial === true ? 'partial' : '',
    rule.signed === undefined ? '' : `signature in \`${rule.signed}\``,
    rule.note ?? ''
  ]
    .filter((fact) => fact !== '')
    .join('; ')

const partTable = (types: PartTable): string =>
  [
    '| part | kind | namespace | call id from | also |',
    '|---|---|---|---|---|',
    ...Array.from(
      types,
      ([type, rule]) =>
        `| \`${type}\` | \`${rule.kind}\` | ${quoted(rule.namespace)} | ${quoted(rule.callId)} | ${factsOf(rule)} |`
    )
  ].join('\n')

/** Every generated table by the name of its markers in the document. */
export const blockTables: ReadonlyArray<readonly [string, string]> = [
  ['chat-completions', partTable(chatTypes)],
  ['anthropic', partTable(anthropicTypes)],
  ['gemini', partTable(geminiTypes)],
  ['ai-sdk', partTable(aiSdkTypes)],
  ['ai-sdk-ui', partTable(aiSdkUiTypes)],
  [
    'tool-states',
    [
      '| state | call | output |',
      '|---|---|---|',
      ...Array.from(
        toolStates,
        ([state, { call, output }]) => `| \`${String(state)}\` | ${quoted(call)} | \`${output}\` |`
      )
    ].join('\n')
  ],
  ['langchain', partTable(langchainTypes)]
]
