import { Secret, TOTP } from 'otpauth'
import { renderSVG } from 'uqr'

/** The secret of an authenticator app (RFC 6238: SHA-1, 6 digits, 30 s). */
export interface NewTotp {
  /** base32. */
  secret: string
  uri: string
  /** The URI as a QR code. */
  qrCode: string
}

/** The duration of a time step, in seconds. */
const periodSeconds = 30

/** The maximum length that phones can scan as a QR code. */
const maxUriLength = 1_000

/**
 * Creates a secret of 160 bits.
 * @param issuer the name that the app shows for the account
 * @returns null if issuer and label are too long for a QR code
 */
export function createTotp(o: { issuer: string; label: string }): NewTotp | null {
  const secret = new Secret({ size: 20 }).base32
  // Unpaired surrogates, which JSON can contain, are invalid in a URI.
  const [issuer, label] = [o.issuer, o.label].map((text) => Buffer.from(text).toString()) as [string, string]
  const query = new URLSearchParams({
    algorithm: 'SHA1',
    digits: '6',
    issuer,
    periodSeconds: String(periodSeconds),
    secret,
  })
  // Apps that do not decode forms would show a plus instead of a space.
  const queryText = query.toString().replaceAll('+', '%20')
  const uri = `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(label)}?${queryText}`
  if (uri.length > maxUriLength) return null
  return { secret, uri, qrCode: renderSVG(uri, { ecc: 'M', border: 4, pixelSize: 4 }) }
}

/**
 * The time step of a code; null if it is not valid now, one step before or after.
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
  const delta = new TOTP({ secret: key, period: periodSeconds }).validate({
    token,
    timestamp: time,
    window: 1,
  })
  return delta === null ? null : Math.floor(time / 1000 / periodSeconds) + delta
}
