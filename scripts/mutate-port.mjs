// Writes copies of the Python port with one mistake each: `node scripts/mutate-port.mjs FOLDER [NAME…]`.
// Each mistake is one that somebody has made, or easily makes, and each has to be caught by a vector
// (test/cli/conform.test.ts). A place that is not found exactly once is an error: the port has changed.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const port = fileURLToPath(new URL('../docs/spec/ports/python/turnkeep_port', import.meta.url))

/** Every mistake: its name, the file, what stands there and what is written in its place. */
export const mistakes = [
  {
    name: 'the-last-call-is-answered-first',
    file: 'pairing.py',
    right: 'queue.calls.popleft()',
    wrong: 'queue.calls.pop()'
  },
  {
    name: 'a-repeated-id-supersedes-nothing',
    file: 'pairing.py',
    right: 'if queue is None or queue.response != response:',
    wrong: 'if queue is None:'
  },
  {
    name: 'a-namespace-is-not-part-of-the-key',
    file: 'items.py',
    right: 'return (self.namespace, self.call_id)',
    wrong: 'return (None, self.call_id)'
  },
  {
    name: 'a-provider-result-ends-its-response',
    file: 'pairing.py',
    right: 'ends_response = item.origin != "model"',
    wrong: 'ends_response = True'
  },
  {
    name: 'a-search-for-an-owner-passes-user-input',
    file: 'reasoning.py',
    right: 'if item.is_user_input:',
    wrong: 'if False:'
  },
  {
    name: 'trailing-reasoning-is-kept',
    file: 'selection.py',
    right: 'KEEP if self.policy["trailingReasoning"] == "keep" else WITHHOLD',
    wrong: 'KEEP'
  },
  {
    name: 'every-output-is-redacted',
    file: 'selection.py',
    right: '            and self.judgement.rejects(output)\n            and self.policy["rejectedOutput"]',
    wrong: '            and self.policy["rejectedOutput"]'
  },
  {
    name: 'a-tool-that-was-skipped-has-run',
    file: 'selection.py',
    right: 'in ("denied", "skipped")',
    wrong: 'in ("denied",)'
  },
  {
    name: 'a-parent-is-forgotten',
    file: 'selection.py',
    right: 'self.decisions[parent] = Decision(KEEP, "SELECT-8", self.first_child[parent])',
    wrong: 'pass'
  },
  {
    name: 'what-is-sealed-is-judged-again',
    file: 'selection.py',
    right: 'progress.final if length > progress.final else progress.sealed',
    wrong: '0'
  },
  {
    name: 'an-id-stays-without-its-reasoning',
    file: 'planning.py',
    right: 'entry["stripId"] = True',
    wrong: 'pass'
  },
  {
    name: 'a-closing-stands-at-the-end',
    file: 'planning.py',
    right: 'place = max(min(later, next_user_input[call + 1]), behind.get(item.key, 0))',
    wrong: 'place = length'
  },
  {
    name: 'a-closing-overtakes-an-output',
    file: 'planning.py',
    right: 'place = max(min(later, next_user_input[call + 1]), behind.get(item.key, 0))',
    wrong: 'place = min(later, next_user_input[call + 1])'
  },
  {
    name: 'entries-pass-what-waits',
    file: 'planning.py',
    right: 'position not in stored and position < blocked_at',
    wrong: 'position not in stored'
  },
  {
    name: 'a-count-is-taken-for-a-position',
    file: 'planning.py',
    right: '        settled = before.settled\n',
    wrong: '        settled = before.written\n'
  },
  {
    name: 'nothing-is-remembered-without-a-write',
    file: 'progress.py',
    right: 'return after if after == before else',
    wrong: 'return before if after.written == before.written else'
  },
  {
    name: 'another-turn-is-taken-for-this-one',
    file: 'progress.py',
    right: 'if edge_of(turn, progress, policy) != progress.edge:',
    wrong: 'if False:'
  },
  {
    name: 'an-operation-ignores-the-turn',
    file: 'planning.py',
    right: 'content = [self.before.turn, self.before.revision, change, replaces, writes, after.to_json()]',
    wrong: 'content = [self.before.revision, change, replaces, writes]'
  },
  {
    name: 'a-late-output-is-a-second-answer',
    file: 'selection.py',
    right: 'if self.standing.append_only and call in self.standing.closed:',
    wrong: 'if False:'
  },
  {
    name: 'reasoning-is-written-alone',
    file: 'planning.py',
    right: 'for run in reversed(self.association.runs):\n            kept',
    wrong: 'for run in ():\n            kept'
  },
  {
    name: 'a-copy-waits-for-an-output',
    file: 'history.py',
    right: 'if position not in history.copies]',
    wrong: 'if True]'
  },
  {
    name: 'what-was-cut-off-pairs-with-nothing',
    file: 'history.py',
    right: 'read_turn([_as_complete(items[position]) for position in live], open_calls)',
    wrong: 'read_turn([items[position] for position in live], open_calls)'
  },
  {
    name: 'a-closing-beats-a-real-output',
    file: 'history.py',
    right: 'items[answer].execution in CLOSED and not is_closing:',
    wrong: 'False:'
  },
  {
    name: 'reasoning-finds-its-owner-behind-an-output',
    file: 'auditing.py',
    right: 'or (outputs_end and item.is_runner_output)',
    wrong: ''
  },
  {
    name: 'a-closing-stands-behind-its-call-at-once',
    file: 'arranging.py',
    right: 'if first is not None and place[first] <= place[anchor]:',
    wrong: 'if False:'
  },
  {
    name: 'more-is-moved-than-has-to-be',
    file: 'editing.py',
    right: 'length = bisect_left(ends, position)',
    wrong: 'length = 0 if not ends else bisect_left(ends, position) or 1'
  },
  {
    name: 'reasoning-stays-without-its-owner',
    file: 'repairing.py',
    right: 'if gone and len(gone) == len(owners):',
    wrong: 'if False:'
  }
]

/** Copies the port into a folder, with one mistake. */
export const writeMistake = ({ name, file, right, wrong }, folder) => {
  const copy = join(folder, name)
  mkdirSync(copy, { recursive: true })
  cpSync(port, join(copy, 'turnkeep_port'), {
    recursive: true,
    filter: (source) => !source.includes('__pycache__')
  })
  const path = join(copy, 'turnkeep_port', file)
  const text = readFileSync(path, 'utf8')
  const found = text.split(right).length - 1
  if (found !== 1) throw new Error(`${name}: expected one place in ${file}, found ${found}`)
  writeFileSync(
    path,
    text.replace(right, () => wrong)
  )
  return copy
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder, ...names] = process.argv.slice(2)
  if (folder === undefined) {
    console.error('usage: node scripts/mutate-port.mjs FOLDER [NAME…]')
    process.exit(2)
  }
  const chosen = mistakes.filter(({ name }) => names.length === 0 || names.includes(name))
  for (const mistake of chosen) console.log(writeMistake(mistake, folder))
}
