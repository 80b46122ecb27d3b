/** Form values entered before the sign-in email was sent: its link may open in another tab, which continues with them. */
interface FormInput {
  /** Of the first owner, with the setup token. */
  setup: { token: string; person: string; workspace: string; channel: string }
  /** Of an invited person, with the invitation. */
  join: { token: string; person: string }
}

const keyOf = (step: keyof FormInput): string => `linnet.${step}`

export function storeFormInput<S extends keyof FormInput>(step: S, input: FormInput[S]): void {
  try {
    localStorage.setItem(keyOf(step), JSON.stringify(input))
  } catch {
    // Then the form has to be filled in again after signing in.
  }
}

export function readFormInput<S extends keyof FormInput>(step: S): FormInput[S] | null {
  try {
    const stored = JSON.parse(localStorage.getItem(keyOf(step)) ?? 'null') as FormInput[S] | null
    return stored?.token ? stored : null
  } catch {
    return null
  }
}

export function clearFormInput(step: keyof FormInput): void {
  try {
    localStorage.removeItem(keyOf(step))
  } catch {
    // Nothing was stored.
  }
}
