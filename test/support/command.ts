/** Runs the built command, or a shell that has it as `turnkeep`. */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'

export interface Run {
  readonly state: number | null
  readonly out: string
  readonly problems: string
}

const main = resolve('dist/cli/main.js')

/** What a user's own settings might change is taken out of the environment. */
const plainEnvironment = (extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv => {
  const { NO_COLOR: _noColor, FORCE_COLOR: _forceColor, NODE_OPTIONS: _options, ...rest } = process.env
  return { ...rest, ...extra }
}

/** Runs `turnkeep` with arguments and something on standard input. */
export const turnkeep = (
  words: ReadonlyArray<string>,
  input: string | Uint8Array = '',
  environment: Readonly<Record<string, string>> = {}
): Run => {
  const run = spawnSync(process.execPath, [main, ...words], {
    input,
    encoding: 'utf8',
    env: plainEnvironment(environment),
    maxBuffer: 256 * 1024 * 1024
  })
  return { state: run.status, out: run.stdout, problems: run.stderr }
}

/** Runs a line of shell in which `turnkeep` is the built command; errors and output come in one stream. */
export const shell = (line: string, environment: Readonly<Record<string, string>> = {}): Run => {
  const run = spawnSync(
    'bash',
    ['-c', `exec 2>&1; turnkeep() { "${process.execPath}" "${main}" "$@"; }\n${line}`],
    {
      encoding: 'utf8',
      env: plainEnvironment(environment)
    }
  )
  return { state: run.status, out: run.stdout, problems: run.stderr }
}
