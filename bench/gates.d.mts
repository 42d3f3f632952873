export declare const countReads: () => Readonly<Record<string, number>>
export declare const measureBytes: () => Readonly<Record<string, number | null>>
export declare const measureSizes: () => Promise<Readonly<Record<string, number>>>
export declare const listModules: (subpath: string) => ReadonlyArray<string>
export declare const readRecord: () => {
  readonly reads: Readonly<Record<string, number>>
  readonly bytes: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly sizes: Readonly<Record<string, number>>
}
export declare const nodeMajor: string
