/** Conversations of a small grammar, to be spelled in every block format. */
import * as fc from 'fast-check'

/** One part of a model's message. */
export type Said =
  | { readonly what: 'thought' | 'text'; readonly words: string }
  | { readonly what: 'call'; readonly id: string }

/** One message, before it is spelled. */
export type Spoken =
  | { readonly who: 'user'; readonly words: ReadonlyArray<string> }
  | { readonly who: 'model'; readonly said: ReadonlyArray<Said> }
  | { readonly who: 'tools'; readonly results: ReadonlyArray<string> }

const shape = fc.array(
  fc.record({
    user: fc.array(fc.string({ maxLength: 3 }), { maxLength: 2 }),
    said: fc.array(fc.constantFrom('thought', 'text', 'call'), { minLength: 1, maxLength: 5 }),
    answered: fc.integer({ min: 0, max: 3 })
  }),
  { minLength: 1, maxLength: 4 }
)

/** Conversations in which each message follows from the one before; some calls stay unanswered. */
export const conversations: fc.Arbitrary<ReadonlyArray<Spoken>> = shape.map((steps) => {
  const spoken: Array<Spoken> = []
  let next = 0
  steps.forEach(({ user, said, answered }, step) => {
    if (step === 0 || user.length > 1) spoken.push({ who: 'user', words: user.length === 0 ? ['go'] : user })
    const calls: Array<string> = []
    const parts = said.map((what): Said => {
      if (what !== 'call') return { what, words: `${what} ${step}` }
      next += 1
      calls.push(`c${next}`)
      return { what, id: `c${next}` }
    })
    spoken.push({ who: 'model', said: parts })
    const results = answered === 0 ? calls : calls.slice(0, answered)
    if (results.length > 0) spoken.push({ who: 'tools', results })
  })
  return spoken
})
