/** Parses a phone number to E.164; null if it isn't one. */
export function parsePhoneNumber(typed: string): string | null {
  const number = typed.replaceAll(/[\s().\-/]/g, '').replace(/^00/, '+')
  return /^\+[1-9]\d{6,14}$/.test(number) ? number : null
}
