export interface Rule {
  readonly id: string
  readonly area: string
  readonly verb: string
  readonly text: string
  readonly page: string
}
export interface VectorFile {
  readonly name: string
  readonly vectors: ReadonlyArray<Readonly<Record<string, unknown>>>
}
export const SPEC_VERSION: string
export const readRules: (pages: ReadonlyArray<{ readonly file: string; readonly text: string }>) => {
  readonly rules: ReadonlyArray<Rule>
  readonly faults: ReadonlyArray<string>
}
export const readInvariants: (
  text: string
) => ReadonlyArray<{ readonly id: string; readonly rules: ReadonlyArray<string> }>
export const formatJson: (value: unknown, indent?: string, used?: number) => string
export const formatVectors: (vectors: ReadonlyArray<unknown>) => string
export const assignIds: (
  name: string,
  vectors: ReadonlyArray<Readonly<Record<string, unknown>>>
) => ReadonlyArray<Readonly<Record<string, unknown>>>
export const faultsOfVectors: (
  files: ReadonlyArray<VectorFile>,
  known: {
    readonly rules: ReadonlyArray<Pick<Rule, 'id'>>
    readonly schema: object
    readonly notByVector: Readonly<Record<string, string>>
  }
) => ReadonlyArray<string>
export const readCitations: (
  tests: ReadonlyArray<{ readonly file: string; readonly text: string }>
) => ReadonlyMap<string, ReadonlySet<string>>
