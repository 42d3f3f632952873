// Runs each page named on the command line as a module, in real Node, and prints one JSON line per page.
// `check` compares as node:assert does, strictly; `at` remembers the line, for errors that are thrown.
import assert from 'node:assert/strict'
import { pathToFileURL } from 'node:url'

let line = 0
let failures = []
globalThis.at = (here) => {
  line = here
}
globalThis.check = (here, actual, expected) => {
  try {
    assert.deepEqual(actual, expected)
  } catch (error) {
    failures.push({ line: here, message: error.message })
  }
}
const print = console.log
console.log = () => {}
process.on('unhandledRejection', (error) => failures.push({ line, message: `unhandled rejection: ${error}` }))

for (const page of process.argv.slice(2)) {
  line = 0
  failures = []
  try {
    await import(pathToFileURL(page).href)
    await new Promise((resolve) => setImmediate(resolve))
  } catch (error) {
    failures.push({
      line,
      message: error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error)
    })
  }
  print(JSON.stringify({ page, failures }))
}
process.exit(0)
