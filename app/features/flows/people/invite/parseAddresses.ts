import { isEmailAddress, toStoredAddress } from '../../../../../wire/emailAddress.ts'

/**
 * The different addresses in a text, as they are stored, and the parts of the text that are not addresses. Mail programs
 * separate and decorate addresses in many ways.
 */
export function parseAddresses(text: string): { addresses: string[]; invalid: string[] } {
  const addresses = new Set<string>()
  const invalid: string[] = []
  for (const entry of text.split(/[,;\n]+/)) {
    // `Bea Lindqvist <bea@harbour.example>`
    const named = /<([^<>]*)>\s*$/.exec(entry)
    for (const part of (named?.[1] ?? entry).split(/\s+/).filter(Boolean)) {
      if (isEmailAddress(part)) addresses.add(toStoredAddress(part))
      else invalid.push(part)
    }
  }
  return { addresses: [...addresses], invalid }
}
