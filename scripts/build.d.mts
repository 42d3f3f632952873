export const build: (options?: { readonly declarations?: boolean; readonly onlyIfStale?: boolean }) => void
