import type { Smtp } from '../runtime/smtp/smtpOptions.ts'
import { judgeClock, readClock } from './checkClock.ts'
import { judgeDisk, readDisk } from './checkDisk.ts'
import { judgeDns, readDns } from './checkDns.ts'
import { judgeMail, readMail } from './checkMail.ts'
import { createLocalFinding } from './LocalFinding.ts'
import type { Check } from './runChecks.ts'

/** The checks of the disk and the clock, which need no server. */
export function machineChecks(dataDir: string): Check[] {
  return [
    {
      run: async () => judgeDisk(dataDir, await readDisk(dataDir)),
      onTimeout: [createLocalFinding('disk.unknown', {})],
    },
    {
      run: async () => judgeClock(await readClock()),
      onTimeout: [createLocalFinding('clock.unknown', {})],
    },
  ]
}

/**
 * Checks whether this machine finds the names of the public address and of the mail server.
 * @param host the host of the public address; null if other machines do not use it
 */
export function nameCheck(host: string | null, smtp: Smtp | null): Check {
  const names = [
    ...(host === null ? [] : [{ use: 'address' as const, name: host }]),
    ...(smtp === null ? [] : [{ use: 'mail' as const, name: smtp.host }]),
  ]
  return {
    run: async () => judgeDns(await readDns(names)),
    onTimeout: names.map(({ use }) => createLocalFinding('dns.unresolved', { name: use })),
  }
}

/**
 * Connects to the mail server and signs in.
 * @param isPublic whether other machines can use the server, so that people need its mails
 */
export function mailCheck(smtp: Smtp | null, isPublic: boolean): Check {
  return {
    timeoutMs: 12_000,
    run: async () => judgeMail(await readMail(smtp), isPublic),
    onTimeout: [createLocalFinding('mail.failing', { problem: 'timeout' })],
  }
}
