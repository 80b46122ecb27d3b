import { Secret, TOTP } from 'otpauth'
import { renderSVG } from 'uqr'

/** What an authenticator app needs to make codes (RFC 6238: SHA-1, 6 digits, 30 s). */
export interface NewTotp {
  /** base32. */
  secret: string
  uri: string
  /** The address as a picture. */
  qrCode: string
}

/** Seconds that a code is shown for. */
const period = 30

/** As much as fits into a picture that a telephone still reads. */
const longestUri = 1_000

/**
 * A new secret of 160 bits.
 * @param issuer by which the app tells its codes apart
 * @returns null where issuer and label are too long for a QR code
 */
export function createTotp(o: { issuer: string; label: string }): NewTotp | null {
  const secret = new Secret({ size: 20 }).base32
  // Half a character, as JSON can write it, has no place in an address.
  const [issuer, label] = [o.issuer, o.label].map((text) => Buffer.from(text).toString()) as [string, string]
  const query = new URLSearchParams({
    algorithm: 'SHA1',
    digits: '6',
    issuer,
    period: String(period),
    secret,
  })
  // A plus sign would be read as itself by apps that don't know forms.
  const told = query.toString().replaceAll('+', '%20')
  const uri = `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(label)}?${told}`
  if (uri.length > longestUri) return null
  return { secret, uri, qrCode: renderSVG(uri, { ecc: 'M', border: 4, pixelSize: 4 }) }
}

/**
 * The number of the 30 seconds that a code belongs to; null where it is none of this secret, or not of now, the
 * 30 seconds before and after.
 * @param time ms since 1970
 */
export function stepOfCode(secret: string, code: string, time: number): number | null {
  const token = code.trim()
  if (!/^\d{6}$/.test(token)) return null
  let key: Secret
  try {
    key = Secret.fromBase32(secret)
  } catch {
    return null
  }
  const delta = new TOTP({ secret: key, period }).validate({ token, timestamp: time, window: 1 })
  return delta === null ? null : Math.floor(time / 1000 / period) + delta
}
