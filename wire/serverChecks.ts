import type { Timestamp } from './scalars.ts'

/** `notice`: everything works, but something is worth doing. `unknown`: it could not be determined. */
export type CheckState = 'ok' | 'notice' | 'problem' | 'unknown'

/** The cause of the failure of a job's last attempt. `refused`: a status from 400 to 599. */
export type ProblemKind = 'sign_in' | 'certificate' | 'timeout' | 'unreachable' | 'refused' | 'other'

/** Why a certificate could not be requested. `validation`: the certificate authority did not find this server at the name. */
export type CertificateProblem = 'validation' | 'rate_limited' | 'unreachable' | 'refused' | 'other'

/** Which kinds of jobs wait or failed. */
export type JobArea = 'mail' | 'push' | 'scheduled' | 'content' | 'webhooks'

/**
 * The values of each finding. The part of a code before the dot names what was checked. Values are numbers, times and words
 * of fixed lists: owners and admins of the first workspace see them, who may have no access to the server. Paths, addresses
 * and errors are details, which only the server's own pages and commands show.
 */
export interface CheckValues {
  'server.running': { since: Timestamp }
  'server.stopped': object
  'server.starting': object
  'server.unresponsive': object
  'server.not_reporting': { since: Timestamp }
  'version.current': { version: string }
  'version.restart_needed': { version: string; installed: string }
  'version.migrations_pending': { migrations: number }
  'disk.enough': { free_bytes: number; total_bytes: number }
  'disk.low': { free_bytes: number; total_bytes: number }
  'disk.unknown': object
  'permissions.correct': object
  'permissions.no_installation': object
  'permissions.not_writable': { entries: number }
  'permissions.secrets_readable': { entries: number }
  'settings.valid': object
  'settings.invalid': object
  'settings.warnings': { warnings: number }
  'secrets.complete': object
  'secrets.damaged': object
  'secrets.missing': object
  'leftovers.none': object
  'leftovers.found': { entries: number; bytes: number }
  'port.free': { port: number }
  'port.taken': { port: number }
  'port.not_permitted': { port: number }
  'port.no_address': { port: number }
  'clock.synchronized': object
  'clock.not_synchronized': object
  'clock.unknown': object
  'postgres.running': { version: string }
  'postgres.down': object
  'postgres.startable': { version: number }
  'postgres.other_version': { version: number; included: number }
  'postgres.damaged': object
  'postgres.unavailable': object
  'realtime.reading': { behind_bytes: number }
  'realtime.behind': { behind_bytes: number }
  'realtime.stopped': object
  'broadcasts.stored': object
  'broadcasts.no_partition': { days: number }
  'storage.consistent': object
  'storage.without_bytes': { objects: number }
  'storage.without_row': { files: number }
  'storage.unknown': object
  'mail.reachable': object
  'mail.no_server': object
  'mail.local_mailbox': object
  'mail.failing': { problem: ProblemKind }
  'mail.limit_reached': { refused_at: string; until: string }
  'mail.on': object
  'mail.off': { is_fixed: boolean }
  'mail.none_due': object
  'mail.rejected': { addresses: number }
  'mail.invitations_failed': { invitations: number }
  'push.ready': object
  'push.no_contact': object
  'push.unused': object
  'dns.resolved': object
  'dns.unresolved': { name: string }
  'address.local': object
  'address.reached': object
  'address.unencrypted': object
  'address.private_network': object
  'address.unreachable': object
  'address.other_server': object
  'address.no_websocket': object
  'certificate.valid': { days: number }
  'certificate.expires_soon': { days: number }
  'certificate.expired': { days: number }
  'certificate.other_name': object
  'certificate.untrusted': object
  'certificate.unreadable': object
  'certificate.requested': object
  'certificate.request_failed': { problem: CertificateProblem; next: Timestamp }
  'backups.none': object
  'backups.none_yet': object
  'backups.old': { at: Timestamp }
  'backups.recent': { at: Timestamp }
  'backups.failed': { at: Timestamp }
  'backups.same_disk': { is_new: boolean }
  'backups.no_recovery_sheet': { is_new: boolean }
  'backups.command_failed': object
  'backups.not_restorable': { at: Timestamp }
  'backups.unproven': object
  'backups.proven': { at: Timestamp }
  'backups.log_not_archived': object
  'outgoing.paused': { since: Timestamp }
  'jobs.none_waiting': object
  'jobs.late': { area: JobArea; jobs: number; since: Timestamp }
  'jobs.retried': { area: JobArea; jobs: number; since: Timestamp; next: Timestamp; problem: ProblemKind }
  'jobs.failed': { area: JobArea; jobs: number; latest: Timestamp; problem: ProblemKind }
  'schedule.running': object
  'schedule.paused': { since: Timestamp }
  'schedule.failing': { names: string }
  'schedule.turned_off': { names: string }
  'schedule.unknown': object
  'database.size': { bytes: number }
  'database.unknown': object
  'files.used': { used_bytes: number; max_bytes: number }
  'files.nearly_full': { used_bytes: number; max_bytes: number }
  'files.full': { used_bytes: number; max_bytes: number }
  'webhooks.enabled': object
  'webhooks.disabled': { webhooks: number }
}

export type CheckCode = keyof CheckValues

/** What a check found. The results of a server are stored in this form. */
export type Finding<Code extends CheckCode = CheckCode> = {
  [C in Code]: { code: C; state: CheckState; values: CheckValues[C] }
}[Code]

/** The state of each finding. */
export const checkStates: { [Code in CheckCode]: CheckState } = {
  'server.running': 'ok',
  'server.stopped': 'notice',
  'server.starting': 'notice',
  'server.unresponsive': 'problem',
  'server.not_reporting': 'unknown',
  'version.current': 'ok',
  'version.restart_needed': 'notice',
  'version.migrations_pending': 'notice',
  'disk.enough': 'ok',
  'disk.low': 'problem',
  'disk.unknown': 'unknown',
  'permissions.correct': 'ok',
  'permissions.no_installation': 'notice',
  'permissions.not_writable': 'problem',
  'permissions.secrets_readable': 'problem',
  'settings.valid': 'ok',
  'settings.invalid': 'problem',
  'settings.warnings': 'notice',
  'secrets.complete': 'ok',
  'secrets.damaged': 'problem',
  'secrets.missing': 'problem',
  'leftovers.none': 'ok',
  'leftovers.found': 'notice',
  'port.free': 'ok',
  'port.taken': 'problem',
  'port.not_permitted': 'problem',
  'port.no_address': 'problem',
  'clock.synchronized': 'ok',
  'clock.not_synchronized': 'problem',
  'clock.unknown': 'unknown',
  'postgres.running': 'ok',
  'postgres.down': 'problem',
  'postgres.startable': 'ok',
  'postgres.other_version': 'problem',
  'postgres.damaged': 'problem',
  'postgres.unavailable': 'problem',
  'realtime.reading': 'ok',
  'realtime.behind': 'problem',
  'realtime.stopped': 'problem',
  'broadcasts.stored': 'ok',
  'broadcasts.no_partition': 'problem',
  'storage.consistent': 'ok',
  'storage.without_bytes': 'problem',
  'storage.without_row': 'notice',
  'storage.unknown': 'unknown',
  'mail.reachable': 'ok',
  'mail.no_server': 'problem',
  'mail.local_mailbox': 'notice',
  'mail.failing': 'problem',
  'mail.limit_reached': 'problem',
  'mail.on': 'ok',
  'mail.off': 'ok',
  'mail.none_due': 'ok',
  'mail.rejected': 'problem',
  'mail.invitations_failed': 'problem',
  'push.ready': 'ok',
  'push.no_contact': 'notice',
  'push.unused': 'ok',
  'dns.resolved': 'ok',
  'dns.unresolved': 'problem',
  'address.local': 'ok',
  'address.reached': 'ok',
  'address.unencrypted': 'problem',
  'address.private_network': 'notice',
  'address.unreachable': 'problem',
  'address.other_server': 'problem',
  'address.no_websocket': 'problem',
  'certificate.valid': 'ok',
  'certificate.expires_soon': 'problem',
  'certificate.expired': 'problem',
  'certificate.other_name': 'problem',
  'certificate.untrusted': 'problem',
  'certificate.unreadable': 'problem',
  'certificate.requested': 'unknown',
  'certificate.request_failed': 'problem',
  'backups.none': 'problem',
  'backups.none_yet': 'notice',
  'backups.old': 'problem',
  'backups.recent': 'ok',
  'backups.failed': 'problem',
  'backups.same_disk': 'notice',
  'backups.no_recovery_sheet': 'notice',
  'backups.command_failed': 'problem',
  'backups.not_restorable': 'problem',
  'backups.unproven': 'notice',
  'backups.proven': 'ok',
  'backups.log_not_archived': 'problem',
  'outgoing.paused': 'problem',
  'jobs.none_waiting': 'ok',
  'jobs.late': 'problem',
  'jobs.retried': 'problem',
  'jobs.failed': 'problem',
  'schedule.running': 'ok',
  'schedule.paused': 'problem',
  'schedule.failing': 'problem',
  'schedule.turned_off': 'problem',
  'schedule.unknown': 'unknown',
  'database.size': 'ok',
  'database.unknown': 'unknown',
  'files.used': 'ok',
  'files.nearly_full': 'problem',
  'files.full': 'problem',
  'webhooks.enabled': 'ok',
  'webhooks.disabled': 'problem',
}

/** The findings that `linnet doctor --repair` can repair, in the order of the repairs. */
export const repairable: readonly CheckCode[] = [
  'permissions.secrets_readable',
  'leftovers.found',
  'broadcasts.no_partition',
  'storage.without_row',
]

/**
 * Whether the application reminds owners of a notice until they have done what it recommends. `is_new`: the installation is
 * less than a day old, when its owner has other things to do.
 */
export function isReminder(finding: Finding): boolean {
  const { code, values } = finding
  return (code === 'backups.same_disk' || code === 'backups.no_recovery_sheet') && !values.is_new
}

/** Creates a finding with its state. */
export function createFinding<Code extends CheckCode>(code: Code, values: CheckValues[Code]): Finding<Code> {
  return { code, state: checkStates[code], values } as Finding<Code>
}

/** Whether a text is the code of a finding that this version knows. An older server may have stored others. */
export function isCheckCode(code: string): code is CheckCode {
  return Object.hasOwn(checkStates, code)
}

const stateOrder: Record<CheckState, number> = { problem: 0, notice: 1, unknown: 2, ok: 3 }

/** Orders findings: problems first, then notices, then what is unknown, then what works. */
export function sortFindings<F extends { state: CheckState }>(findings: readonly F[]): F[] {
  return findings.toSorted((a, b) => stateOrder[a.state] - stateOrder[b.state])
}
