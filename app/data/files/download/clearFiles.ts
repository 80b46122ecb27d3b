const listeners: (() => void)[] = []

/** Adds how to forget what is kept: each cache is loaded with its first file, and not with the first text. */
export function onClearFiles(clear: () => void): void {
  listeners.push(clear)
}

/** Forgets every byte that was shown and ends transfers, at sign-out. */
export function clearFiles(): void {
  for (const clear of listeners) clear()
}
