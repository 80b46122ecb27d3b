let forget: (() => void) | null = null

/** Says how to forget what is kept. By what keeps it, which is loaded with the first file and not with the words. */
export function onForgetFiles(how: () => void): void {
  forget = how
}

/** Forgets every byte that was shown and ends what is on its way, at sign-out. Before the first file that is nothing. */
export function forgetFiles(): void {
  forget?.()
}
