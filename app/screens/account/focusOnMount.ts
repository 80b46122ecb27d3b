/** As the `ref` of what takes the place of the pressed button: reading and the keyboard go on there, not at the top. */
export function focusOnMount(element: HTMLElement | null): void {
  element?.focus()
}
