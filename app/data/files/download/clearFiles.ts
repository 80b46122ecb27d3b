const forgets: (() => void)[] = []

/** Adds how to forget what is kept: each cache is loaded with its first file, and not with the first text. */
export function onForgetFiles(forget: () => void): void {
  forgets.push(forget)
}

/** Forgets every byte that was shown and ends transfers, at sign-out. */
export function forgetFiles(): void {
  for (const forget of forgets) forget()
}
