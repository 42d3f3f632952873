#!/usr/bin/env node
/**
 * The command line of turnkeep.
 *
 * Law: the only place that starts something: it hands the arguments on and sets the exit state.
 */
import { readFileSync } from 'node:fs'
import { runProgram } from './program.js'
import { openTerminal } from './terminal.js'

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
)
process.exitCode = await runProgram(process.argv.slice(2), openTerminal(), manifest.version)
