const listeners: (() => void)[] = []

/** Registers a cache to clear at sign-out: caches are loaded with their first file. */
export function onClearFiles(clear: () => void): void {
  listeners.push(clear)
}

/** Clears all caches of files and aborts transfers, at sign-out. */
export function clearFiles(): void {
  for (const clear of listeners) clear()
}
