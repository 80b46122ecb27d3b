/**
 * As the `ref` of an element that replaces the pressed button: screen readers and the keyboard continue there, not at
 * the top.
 */
export function focusOnMount(element: HTMLElement | null): void {
  element?.focus()
}
