/** Form values entered before the sign-in email was sent: its link may open in another tab, which continues with them. */
interface KeptEntries {
  /** The first owner's, for the bearer of this set-up token. */
  setup: { token: string; person: string; workspace: string; channel: string }
  /** An invited person's, for this invitation. */
  join: { token: string; person: string }
}

const keyOf = (step: keyof KeptEntries): string => `linnet.${step}`

export function keepEntries<S extends keyof KeptEntries>(step: S, entries: KeptEntries[S]): void {
  try {
    localStorage.setItem(keyOf(step), JSON.stringify(entries))
  } catch {
    // Then the form is filled in again after signing in.
  }
}

export function keptEntries<S extends keyof KeptEntries>(step: S): KeptEntries[S] | null {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(step)) ?? 'null') as KeptEntries[S] | null
    return kept?.token ? kept : null
  } catch {
    return null
  }
}

export function forgetEntries(step: keyof KeptEntries): void {
  try {
    localStorage.removeItem(keyOf(step))
  } catch {
    // Nothing was kept.
  }
}
