/** A phone number as the contract takes it (E.164), out of what somebody typed; null where it can't be one. */
export function parsePhoneNumber(typed: string): string | null {
  const number = typed.replaceAll(/[\s().\-/]/g, '').replace(/^00/, '+')
  return /^\+[1-9]\d{6,14}$/.test(number) ? number : null
}
