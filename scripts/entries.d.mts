export interface Entry {
  readonly subpath: string
  readonly name: string
  readonly source: string
}
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly bin: Readonly<Record<string, string>>
  readonly files: ReadonlyArray<string>
  readonly exports: Readonly<
    Record<
      string,
      string | Readonly<Record<'import' | 'require', { readonly types: string; readonly default: string }>>
    >
  >
  readonly dependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}
export const manifest: () => Manifest
export const entries: () => ReadonlyArray<Entry>
