/**
 * Which vectors does this version of the specification have?
 *
 * Law: the generated list, and nothing that looks at it. A test reads it with the codec.
 */
import document from '../../docs/spec/vectors.json' with { type: 'json' }
import type { Vector } from './vector.js'

/**
 * Every vector of the specification, each complete in itself.
 *
 * @example
 * vectors[0]?.id // => 'audit-001'
 */
export const vectors: ReadonlyArray<Vector> = (document as { readonly vectors: unknown })
  .vectors as ReadonlyArray<Vector>
