import type { X509Certificate } from 'node:crypto'
import type { AcmeState } from './acmeFiles.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
/** Let's Encrypt refuses more than five failed validations of a name in an hour. */
const firstRetryMs = 15 * minuteMs
const maxRetryMs = dayMs

/** How long to wait after so many failures in a row. The certificate authority may require more. */
export function retryDelayMs(failures: number, retryAfterMs: number | null): number {
  const delay = Math.min(firstRetryMs * 2 ** Math.min(failures - 1, 20), maxRetryMs)
  return Math.max(delay, Math.min(retryAfterMs ?? 0, 7 * dayMs))
}

/**
 * When the first attempt after a start follows: at most 15 minutes after the last one, since its owner has probably
 * restarted the server to correct a mistake. A server that restarts in a loop does not exceed the limits of the certificate
 * authority. A wait that the authority has required stays.
 */
export function retryTimeAfterStart({ failure, retryAt }: Pick<AcmeState, 'failure' | 'retryAt'>): number {
  if (failure === null || retryAt === null) return 0
  const planned = Date.parse(retryAt)
  return failure.problem === 'rate_limited'
    ? planned
    : Math.min(planned, Date.parse(failure.at) + firstRetryMs)
}

/**
 * When a certificate is renewed: after two thirds of its lifetime, or earlier if the certificate authority suggests that. A
 * wrong clock could make each new certificate look old, so a third of the lifetime, and a day before a suggested time, passes
 * after each issue in any case.
 * @param suggestedAt the time that the certificate authority suggests; null if it suggests none
 * @param issuedAt when this server stored the certificate, by the clock of this machine; null if this is not known
 */
export function renewalTime(
  { validFrom, validTo }: Pick<X509Certificate, 'validFrom' | 'validTo'>,
  suggestedAt: number | null,
  issuedAt: number | null,
): number {
  const from = Date.parse(validFrom)
  const lifetime = Date.parse(validTo) - from
  const regular = Math.max(from + (lifetime * 2) / 3, (issuedAt ?? 0) + lifetime / 3)
  const suggested = suggestedAt === null ? Infinity : Math.max(suggestedAt, (issuedAt ?? 0) + dayMs)
  return Math.min(regular, suggested)
}
