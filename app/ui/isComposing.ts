/**
 * Whether a key belongs to an input method, which chooses and confirms text with Enter, Escape and the arrow keys. Safari
 * ends a composition before the key that ended it: that key is not part of the composition, and has the code 229.
 */
export function isComposing(event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  // oxlint-disable-next-line no-restricted-properties -- the function that replaces them
  return event.isComposing || event.keyCode === 229
}
