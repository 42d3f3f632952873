/** `docs/errors.md`, made from the table of refusals. */
import { type Refusal, refusals } from '../../src/cli/refusals.js'

const rulePages: Readonly<Record<string, string>> = {
  'duplicate-item': 'audit-4',
  'duplicate-approval': 'audit-15',
  'duplicate-call-id': 'audit-14',
  'duplicate-output': 'audit-8',
  'orphan-output': 'audit-7',
  'orphan-call': 'audit-10',
  'leading-item': 'audit-17',
  'intervening-item': 'audit-19',
  'missing-reasoning': 'audit-22',
  'dangling-reasoning': 'audit-24',
  'signature-missing': 'audit-28',
  'signature-incomplete': 'audit-29',
  'signature-stale': 'audit-30'
}

const ruleLink = (rule: string): string => `[\`${rule}\`](spec/08-audit.md#${rulePages[rule] ?? '8-audit'})`

/** The profile follows from the format of the file, but for a promise that only some models make. */
const flagOf = ({ profile }: Refusal): string =>
  profile === 'anthropic-preserved' ? ` --profile ${profile}` : ''

const commandOf = (refusal: Refusal): string => {
  const flag = flagOf(refusal)
  if (refusal.mended === 'by-hand')
    return `\`turnkeep${flag} FILE\` names the place; there is nothing to repair`
  if (refusal.mended === 'by-text') return '`turnkeep repair --why "<the text>" FILE > fixed.json`'
  const command = `\`turnkeep repair${flag} FILE > fixed.json\``
  return refusal.mended === 'always' ? command : `${command}; what it cannot mend, it lists`
}

const section = (refusal: Refusal): string =>
  [
    `<a id="${refusal.name}"></a>`,
    '',
    `### ${refusal.title}`,
    '',
    '| | |',
    '|---|---|',
    `| The provider says | ${refusal.says} |`,
    `| It means | ${refusal.means} |`,
    `| Rule | ${refusal.rules.map(ruleLink).join(', ')} |`,
    `| Command | ${commandOf(refusal)} |`,
    `| What happens | ${refusal.fix} |`,
    `| What the runner did | ${refusal.cause} |`,
    ''
  ].join('\n')

export const errorsPage = (): string => {
  const providers = [...new Set(refusals.map((refusal) => refusal.provider))]
  return [
    '# My provider refused the conversation',
    '',
    'Find the text. Or let the command find it: `turnkeep why "<the text>" FILE` names the rule, the place and the fix. Nothing leaves your machine, and no contents are printed.',
    '',
    'Providers change their wording; what is matched are the words that stayed. The texts are told here in our words, the titles are how people search for them.',
    '',
    ...providers.flatMap((provider) => [
      `## ${provider}`,
      '',
      ...refusals.filter((refusal) => refusal.provider === provider).map(section)
    ]),
    '## No text at all',
    '',
    'Some providers take a broken history and answer worse: reasoning that was left out, signatures that were lost. `turnkeep FILE` finds those too; they are warnings or errors of the same rules.',
    '',
    'A refusal that is not here? `turnkeep FILE` audits without a text, and `turnkeep shape FILE` prints the history without its contents, to attach to an issue.',
    '',
    '<!-- Made from src/cli/refusals.ts: npx vitest run --project unit test/errors.test.ts -u -->',
    ''
  ].join('\n')
}
