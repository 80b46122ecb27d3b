/** What the first owner typed, kept until the workspace stands: the mailed link may open in another tab. */
export interface SetupWish {
  token: string
  person: string
  workspace: string
  channel: string
}

const KEY = 'linnet.setup'

export function keepWish(wish: SetupWish): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(wish))
  } catch {
    // Then the form is filled in again after signing in.
  }
}

export function keptWish(): SetupWish | null {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null') as SetupWish | null
    return kept?.token ? kept : null
  } catch {
    return null
  }
}

export function forgetWish(): void {
  try {
    localStorage.removeItem(KEY)
  } catch {
    // Nothing was kept.
  }
}
