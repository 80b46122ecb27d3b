import { generateKeyPair, exportJWK } from 'jose'
import type { Logger } from '../../logging/logger.ts'
import { AcmeError } from './AcmeError.ts'
import {
  isAcmeCertificateComplete,
  isPlaceholder,
  readAccount,
  readAcmeCertificate,
  readAcmeState,
  saveAccount,
  saveAcmeCertificate,
  saveAcmeState,
  type AcmeAccount,
  type AcmeState,
} from './acmeFiles.ts'
import { parseAcmeObject, openAcmeSession, retryAfterOf, sendAcme, type SendAcme } from './acmeSession.ts'
import type { AcmeSettings } from './acmeSettings.ts'
import { createPlaceholder, renewalIdentifier } from './certificateRequest.ts'
import { requestCertificate } from './requestCertificate.ts'
import { renewalTime, retryDelayMs, retryTimeAfterStart } from './renewalTimes.ts'

/** Gets the certificate of this server and renews it. */
export interface AcmeService {
  /** Begins to request and renew the certificate. */
  start(): void
  /** Does what is due now, and resolves with the time of the next check. Called by the timer, and by tests. */
  check(): Promise<number>
  close(): Promise<void>
}

const hourMs = 3_600_000
/** How long a timer runs at most: the clock of the machine can change, and a suspended machine stops timers. */
const maxSleepMs = hourMs
const pauseIntervalMs = 60_000
const minSuggestionIntervalMs = 6 * hourMs
const maxSuggestionIntervalMs = 24 * hourMs

/**
 * Stores a certificate that signs itself if there is none for this name, so that the server can start before it has
 * proved that it has the name.
 */
export async function prepareCertificate(dataDir: string, host: string, now: number): Promise<void> {
  const certificate = readAcmeCertificate(dataDir)
  const isUsable =
    certificate !== null &&
    isAcmeCertificateComplete(dataDir) &&
    certificate.checkHost(host) !== undefined &&
    !(isPlaceholder(certificate) && Date.parse(certificate.validTo) < now)
  if (!isUsable) await saveAcmeCertificate(dataDir, await createPlaceholder(host, now))
}

/** The state of these settings. Failures with other settings do not delay an attempt, nor does their certificate. */
function readStoredState(dataDir: string, initial: AcmeState): AcmeState {
  const stored = readAcmeState(dataDir)
  if (stored !== null)
    return stored.host === initial.host && stored.directory === initial.directory ? stored : initial
  // The file was lost: a certificate that is still valid is not requested again.
  const certificate = readAcmeCertificate(dataDir)
  if (certificate === null || isPlaceholder(certificate)) return initial
  return { ...initial, issuedAt: new Date(certificate.validFrom).toISOString() }
}

/**
 * Creates the service. It makes one attempt at a time. A failed attempt changes nothing but the stored state, and the next one
 * follows after a delay that grows from 15 minutes to a day.
 */
export function createAcmeService(o: {
  settings: AcmeSettings
  dataDir: string
  /** Serves the response of a challenge until the returned function is called. */
  publish: (token: string, content: string) => () => void
  /** Whether this server is a restored copy that sends nothing to other servers yet. */
  isPaused: () => boolean
  /** Called when another certificate is stored. */
  onCertificate: () => void
  log: Logger
  send?: SendAcme
  now?: () => number
}): AcmeService {
  const { settings, dataDir, log } = o
  const { host, directory } = settings
  const send = o.send ?? sendAcme
  const now = o.now ?? Date.now
  const closing = new AbortController()
  const initial: AcmeState = { host, directory, failures: 0, failure: null, retryAt: null, issuedAt: null }
  let state = readStoredState(dataDir, initial)
  let retryAt = retryTimeAfterStart(state)
  let suggestion: { identifier: string; start: number; at: number } | null = null
  let suggestionDueAt = 0
  let timer: NodeJS.Timeout | undefined
  let running: Promise<number> | null = null

  /** Reads when the certificate authority suggests to renew the certificate, for example because it will revoke it. */
  const readSuggestion = async (pem: string): Promise<void> => {
    if (now() < suggestionDueAt) return
    suggestionDueAt = now() + minSuggestionIntervalMs
    const identifier = renewalIdentifier(pem)
    if (identifier === null) return
    const get = (url: string) => send({ url, method: 'GET', body: null, signal: closing.signal })
    const { renewalInfo } = parseAcmeObject<{ renewalInfo?: unknown }>((await get(directory)).body)
    if (typeof renewalInfo !== 'string') return
    const response = await get(`${renewalInfo}/${identifier}`)
    if (response.status !== 200) return
    const { suggestedWindow } = parseAcmeObject<{ suggestedWindow?: { start?: string; end?: string } }>(
      response.body,
    )
    const start = Date.parse(suggestedWindow?.start ?? '')
    const end = Date.parse(suggestedWindow?.end ?? '')
    const interval = retryAfterOf(response, now()) ?? minSuggestionIntervalMs
    suggestionDueAt = now() + Math.min(Math.max(interval, hourMs), maxSuggestionIntervalMs)
    if (!(start <= end)) return
    // A random time of the window, which stays the same while the window does, so that not all servers renew at its start.
    if (suggestion?.identifier !== identifier || suggestion.start !== start)
      suggestion = { identifier, start, at: start + Math.random() * (end - start) }
  }

  /** When the next attempt is due. */
  const dueAt = async (): Promise<number> => {
    if (state.failures > 0) return retryAt
    const certificate = readAcmeCertificate(dataDir)
    if (certificate === null || isPlaceholder(certificate) || state.issuedAt === null) return 0
    if (certificate.checkHost(host) === undefined) return 0
    const pem = certificate.toString()
    await readSuggestion(pem).catch(() => {
      // The regular time applies while the suggestion cannot be read.
    })
    const suggested = suggestion?.identifier === renewalIdentifier(pem) ? suggestion.at : null
    return renewalTime(certificate, suggested, Date.parse(state.issuedAt))
  }

  const openAccount = async (): Promise<AcmeAccount> => {
    const account = readAccount(dataDir, directory)
    if (account !== null) return account
    const { privateKey } = await generateKeyPair('ES256', { extractable: true })
    const created = { directory, contact: settings.contact, url: null, key: await exportJWK(privateKey) }
    await saveAccount(dataDir, created)
    return created
  }

  const attempt = async (): Promise<void> => {
    const { signal } = closing
    log.info('gateway.certificate_requested', { host, directory })
    const session = await openAcmeSession({
      account: await openAccount(),
      contact: settings.contact,
      onAccount: (account) => saveAccount(dataDir, account),
      send,
      signal,
    })
    const current = readAcmeCertificate(dataDir)
    const isRenewal = current !== null && !isPlaceholder(current) && state.issuedAt !== null
    const certificate = await requestCertificate({
      session,
      host,
      replaces: isRenewal ? renewalIdentifier(current.toString()) : null,
      publish: o.publish,
      signal,
    })
    await saveAcmeCertificate(dataDir, certificate)
    state = { ...initial, issuedAt: new Date(now()).toISOString() }
    suggestionDueAt = 0
    await saveAcmeState(dataDir, state)
    o.onCertificate()
  }

  const recordFailure = async (failed: unknown): Promise<void> => {
    const { problem, retryAfterMs } =
      failed instanceof AcmeError ? failed : { problem: 'other' as const, retryAfterMs: null }
    const reason = failed instanceof Error ? failed.message : String(failed)
    const failures = state.failures + 1
    retryAt = now() + retryDelayMs(failures, retryAfterMs)
    const failure = { at: new Date(now()).toISOString(), problem, reason }
    state = { ...state, failures, failure, retryAt: new Date(retryAt).toISOString() }
    log.warn('gateway.certificate_request_failed', { host, reason, failures, retryAt: state.retryAt })
    try {
      await saveAcmeState(dataDir, state)
    } catch (error) {
      log.error('gateway.certificate_state_not_stored', { reason: (error as Error).message })
    }
  }

  const checkNow = async (): Promise<number> => {
    if (o.isPaused()) return now() + pauseIntervalMs
    if ((await dueAt()) > now()) return dueAt()
    try {
      await attempt()
    } catch (error) {
      // The server stops: this is no failure of the certificate authority.
      if (closing.signal.aborted) return Infinity
      await recordFailure(error)
    }
    return dueAt()
  }

  const check = (): Promise<number> => {
    running ??= checkNow().finally(() => {
      running = null
    })
    return running
  }

  const schedule = (delayMs: number): void => {
    timer = setTimeout(
      () => {
        void check().then((next) => {
          if (!closing.signal.aborted) schedule(next - now())
        })
      },
      Math.min(Math.max(delayMs, 1_000), maxSleepMs),
    )
    timer.unref()
  }

  return {
    check,
    start: () => schedule(0),
    async close() {
      closing.abort()
      clearTimeout(timer)
      await running
    },
  }
}
