/** Form values entered before the sign-in email was sent: its link may open in another tab, which continues with them. */
interface FormEntries {
  /** Of the first owner, with the setup token. */
  setup: { token: string; person: string; workspace: string; channel: string }
  /** Of an invited person, with the invitation. */
  join: { token: string; person: string }
}

const keyOf = (step: keyof FormEntries): string => `linnet.${step}`

export function storeEntries<S extends keyof FormEntries>(step: S, entries: FormEntries[S]): void {
  try {
    localStorage.setItem(keyOf(step), JSON.stringify(entries))
  } catch {
    // Then the form has to be filled in again after signing in.
  }
}

export function readEntries<S extends keyof FormEntries>(step: S): FormEntries[S] | null {
  try {
    const stored = JSON.parse(localStorage.getItem(keyOf(step)) ?? 'null') as FormEntries[S] | null
    return stored?.token ? stored : null
  } catch {
    return null
  }
}

export function clearEntries(step: keyof FormEntries): void {
  try {
    localStorage.removeItem(keyOf(step))
  } catch {
    // Nothing was stored.
  }
}
