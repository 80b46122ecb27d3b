import type { CheckCode, Finding, JobArea, ProblemKind } from './serverChecks.ts'

/** Translates texts, and formats values. The app and the server each provide one. */
export interface CheckLanguage {
  i18n: { _(text: string, values?: Record<string, unknown>): string }
  bytes(bytes: number): string
  /** @param time ISO 8601 */
  time(time: string): string
  count(count: number): string
}

/** What a finding means, in the language of the reader. */
export interface CheckDescription {
  /** What was checked: "Disk space". */
  title: string
  /** What is right or wrong: full sentences. */
  text: string
  /** What to do. Empty if there is nothing to do. */
  advice: string
}

/** The number up to which jobs are counted. */
const maxCount = 1000

type Describe = (language: CheckLanguage) => { text: string; advice?: string }

/** Describes a finding in the language of the reader. */
export function describeCheck(finding: Finding, language: CheckLanguage): CheckDescription {
  const { text, advice = '' } = describe(finding)(language)
  return { title: titleOf(finding, language), text, advice }
}

function titleOf(finding: Finding, { i18n }: CheckLanguage): string {
  const subject = finding.code.slice(0, finding.code.indexOf('.')) as SubjectOf<CheckCode>
  switch (subject) {
    case 'server':
      return i18n._('Server')
    case 'version':
      return i18n._('Version')
    case 'disk':
      return i18n._('Disk space')
    case 'permissions':
      return i18n._('Permissions')
    case 'settings':
      return i18n._('Settings')
    case 'secrets':
      return i18n._('Keys')
    case 'leftovers':
      return i18n._('Unfinished work')
    case 'port':
      return i18n._('Port')
    case 'clock':
      return i18n._('Clock')
    case 'postgres':
      return i18n._('PostgreSQL')
    case 'realtime':
      return i18n._('Live updates')
    case 'broadcasts':
      return i18n._('Broadcasts')
    case 'storage':
      return i18n._('Stored files')
    case 'mail':
      return i18n._('Mail')
    case 'push':
      return i18n._('Push notifications')
    case 'dns':
      return i18n._('DNS')
    case 'address':
      return i18n._('Public address')
    case 'certificate':
      return i18n._('Certificate')
    case 'backups':
      return i18n._('Backups')
    case 'outgoing':
      return i18n._('Restore')
    case 'jobs':
      return 'area' in finding.values ? areaOf(finding.values.area, { i18n }) : i18n._('Queue')
    case 'schedule':
      return i18n._('Scheduled jobs')
    case 'database':
      return i18n._('Database')
    case 'files':
      return i18n._('File storage')
    case 'webhooks':
      return i18n._('Webhooks and slash commands')
  }
}

type SubjectOf<Code extends string> = Code extends `${infer Subject}.${string}` ? Subject : never

function areaOf(area: JobArea, { i18n }: Pick<CheckLanguage, 'i18n'>): string {
  switch (area) {
    case 'mail':
      return i18n._('Mail')
    case 'push':
      return i18n._('Push notifications')
    case 'scheduled':
      return i18n._('Scheduled messages and reminders')
    case 'content':
      return i18n._('Link previews and file text')
    case 'webhooks':
      return i18n._('Webhooks and slash commands')
  }
}

// oxlint-disable-next-line complexity -- one case for each finding, so that the compiler finds those without a text
function describe({ code, values }: Finding): Describe {
  switch (code) {
    case 'server.running':
      return ({ i18n, time }) => ({ text: i18n._('Running since {time}.', { time: time(values.since) }) })
    case 'server.stopped':
      return ({ i18n }) => ({
        text: i18n._('The server is not running.'),
        advice: i18n._('Run: linnet start'),
      })
    case 'server.starting':
      return ({ i18n }) => ({
        text: i18n._('The server holds the lock of its data but is not ready yet.'),
        advice: i18n._('Wait until it has started, then check again. The log has its progress: linnet logs'),
      })
    case 'server.unresponsive':
      return ({ i18n }) => ({
        text: i18n._('The server is running but does not respond.'),
        advice: i18n._('Read its log (linnet logs), then restart it: linnet stop, linnet start.'),
      })
    case 'server.not_reporting':
      return ({ i18n, time }) => ({
        text: i18n._('The server has not checked itself since {time}.', { time: time(values.since) }),
        advice: i18n._('On the server, run: linnet doctor'),
      })
    case 'version.current':
      return ({ i18n }) => ({ text: i18n._('Linnet {version}.', { version: values.version }) })
    case 'version.restart_needed':
      return ({ i18n }) => ({
        text: i18n._('Linnet {version} is running, and {installed} is installed.', { ...values }),
        advice: i18n._('Restart the server to use the installed version.'),
      })
    case 'version.migrations_pending':
      return ({ i18n, count }) => ({
        text: i18n._('Migrations that are not applied yet: {count}.', { count: count(values.migrations) }),
        advice: i18n._('Restart the server. It applies them when it starts.'),
      })
    case 'disk.enough':
      return ({ i18n, bytes }) => ({
        text: i18n._('{free} of {total} are free.', {
          free: bytes(values.free_bytes),
          total: bytes(values.total_bytes),
        }),
      })
    case 'disk.low':
      return ({ i18n, bytes }) => ({
        text: i18n._('The disk is almost full: {free} of {total} are free. A full disk stops all writing.', {
          free: bytes(values.free_bytes),
          total: bytes(values.total_bytes),
        }),
        advice: i18n._('Delete files that are not needed, or move the data to a larger disk.'),
      })
    case 'disk.unknown':
      return ({ i18n }) => ({ text: i18n._('The system does not report the free space of the disk.') })
    case 'permissions.correct':
      return ({ i18n }) => ({
        text: i18n._('Linnet can write its data, and other users cannot read its keys.'),
      })
    case 'permissions.no_installation':
      return ({ i18n }) => ({
        text: i18n._('There is no installation in this folder yet.'),
        advice: i18n._(
          'Name the folder of an existing installation with --data, or create one: linnet start',
        ),
      })
    case 'permissions.not_writable':
      return ({ i18n, count }) => ({
        text: i18n._('Folders and files that Linnet cannot read or write: {count}.', {
          count: count(values.entries),
        }),
        advice: i18n._('Give them to the user that runs Linnet.'),
      })
    case 'permissions.secrets_readable':
      return ({ i18n, count }) => ({
        text: i18n._('Files with keys or passwords that other users of the server can read: {count}.', {
          count: count(values.entries),
        }),
        advice: i18n._('On the server, run: linnet doctor --repair'),
      })
    case 'settings.valid':
      return ({ i18n }) => ({ text: i18n._('The settings files are valid.') })
    case 'settings.invalid':
      return ({ i18n }) => ({
        text: i18n._('The settings files have an error, so the server does not start with them.'),
        advice: i18n._('Correct the file, then start the server.'),
      })
    case 'settings.warnings':
      return ({ i18n, count }) => ({
        text: i18n._('The settings files have warnings: {count}.', { count: count(values.warnings) }),
        advice: i18n._('On the server, run: linnet doctor'),
      })
    case 'secrets.complete':
      return ({ i18n }) => ({ text: i18n._('The keys and passwords of this installation can be read.') })
    case 'secrets.damaged':
      return ({ i18n }) => ({
        text: i18n._('A file with keys or passwords of this installation is damaged.'),
        advice: i18n._(
          'Restore the file from a backup. Do not delete it: the data cannot be used without it.',
        ),
      })
    case 'secrets.missing':
      return ({ i18n }) => ({
        text: i18n._('The database exists, but a file with its keys or passwords is missing.'),
        advice: i18n._('Restore the file from a backup.'),
      })
    case 'leftovers.none':
      return ({ i18n }) => ({ text: i18n._('Nothing is left over from interrupted work.') })
    case 'leftovers.found':
      return ({ i18n, bytes, count }) => ({
        text: i18n._('Files and folders left over from interrupted work: {count} ({size}).', {
          count: count(values.entries),
          size: bytes(values.bytes),
        }),
        advice: i18n._('On the server, run: linnet doctor --repair'),
      })
    case 'port.free':
      return ({ i18n }) => ({ text: i18n._('Port {port} is free.', { port: String(values.port) }) })
    case 'port.taken':
      return ({ i18n }) => ({
        text: i18n._('Port {port} is in use by another program.', { port: String(values.port) }),
        advice: i18n._('Stop that program, or choose another port in linnet.toml.'),
      })
    case 'port.not_permitted':
      return ({ i18n }) => ({
        text: i18n._('This user may not open port {port}.', { port: String(values.port) }),
        advice: i18n._(
          'Choose a port above 1023 in linnet.toml, and use a proxy that forwards requests to it.',
        ),
      })
    case 'port.no_address':
      return ({ i18n }) => ({
        text: i18n._('This machine does not have the address that the server is configured to listen on.'),
        advice: i18n._('Set host in linnet.toml to one of its addresses, or to 0.0.0.0 for all of them.'),
      })
    case 'clock.synchronized':
      return ({ i18n }) => ({ text: i18n._('The system reports that the clock is synchronised.') })
    case 'clock.not_synchronized':
      return ({ i18n }) => ({
        text: i18n._(
          'The system reports that the clock is not synchronised. Sign-in codes and links fail when it is wrong.',
        ),
        advice: i18n._('On the server, turn on time synchronisation: timedatectl set-ntp true'),
      })
    case 'clock.unknown':
      return ({ i18n }) => ({ text: i18n._('The system does not report whether the clock is synchronised.') })
    case 'postgres.running':
      return ({ i18n }) => ({
        text: i18n._('PostgreSQL {version} is running.', { version: values.version }),
      })
    case 'postgres.down':
      return ({ i18n }) => ({
        text: i18n._('PostgreSQL does not respond.'),
        advice: i18n._('The server restarts it automatically. If this continues, read its log: linnet logs'),
      })
    case 'postgres.startable':
      return ({ i18n }) => ({
        text: i18n._(
          'The data were created by PostgreSQL {version}, which this version of Linnet includes.',
          {
            version: String(values.version),
          },
        ),
      })
    case 'postgres.other_version':
      return ({ i18n }) => ({
        text: i18n._(
          'The data were created by PostgreSQL {version}. This version of Linnet includes PostgreSQL {included}, which cannot read them.',
          { version: String(values.version), included: String(values.included) },
        ),
        advice: i18n._(
          'If it is an earlier version, start Linnet: it moves the data. Otherwise use the version of Linnet that created the data.',
        ),
      })
    case 'postgres.damaged':
      return ({ i18n }) => ({
        text: i18n._('The folder of PostgreSQL lacks files that it needs to start.'),
        advice: i18n._(
          'Restore a backup into an empty folder. Keep the damaged folder until the restored server works.',
        ),
      })
    case 'postgres.unavailable':
      return ({ i18n }) => ({
        text: i18n._('The programs of PostgreSQL cannot be used.'),
        advice: i18n._('Install the packages of Linnet again: npm install'),
      })
    case 'realtime.reading':
      return ({ i18n }) => ({ text: i18n._('The server sends changes to open pages.') })
    case 'realtime.behind':
      return ({ i18n, bytes }) => ({
        text: i18n._('The server has not read {size} of changes yet, so open pages show new messages late.', {
          size: bytes(values.behind_bytes),
        }),
        advice: i18n._('Wait. If this continues, read the log of the server: linnet logs'),
      })
    case 'realtime.stopped':
      return ({ i18n }) => ({
        text: i18n._(
          'The server does not read the changes of the database, so open pages show them only after a reload.',
        ),
        advice: i18n._('The server tries again automatically. If this continues, restart it.'),
      })
    case 'broadcasts.stored':
      return ({ i18n }) => ({ text: i18n._('The database can store the events of today and tomorrow.') })
    case 'broadcasts.no_partition':
      return ({ i18n }) => ({
        text: i18n._(
          'The database has no partition for the events of today or tomorrow, so they are dropped.',
        ),
        advice: i18n._('On the server, run: linnet doctor --repair'),
      })
    case 'storage.consistent':
      return ({ i18n }) => ({ text: i18n._('Each stored file has a row, and each row has a file.') })
    case 'storage.without_bytes':
      return ({ i18n, count }) => ({
        text: i18n._('Files in the database whose content is missing on the disk: {count}.', {
          count: count(values.objects),
        }),
        advice: i18n._('Restore these files from a backup. On the server, linnet doctor lists them.'),
      })
    case 'storage.without_row':
      return ({ i18n, count }) => ({
        text: i18n._('Files on the disk that the database does not know: {count}.', {
          count: count(values.files),
        }),
        advice: i18n._('On the server, move them aside: linnet doctor --repair'),
      })
    case 'storage.unknown':
      return ({ i18n }) => ({ text: i18n._('Stored files and their rows could not be compared.') })
    case 'mail.reachable':
      return ({ i18n }) => ({ text: i18n._('The mail server accepts connections.') })
    case 'mail.no_server':
      return ({ i18n }) => ({
        text: i18n._('No mail server is set up, so nobody gets emails.'),
        advice: i18n._('Set a mail server in linnet.toml under [auth.email.smtp], then restart Linnet.'),
      })
    case 'mail.local_mailbox':
      return ({ i18n }) => ({
        text: i18n._('No mail server is set up. Emails are stored in the mailbox of this machine.'),
        advice: i18n._(
          'Before other people use this server, set a mail server in linnet.toml under [auth.email.smtp].',
        ),
      })
    case 'mail.failing':
      return (language) => ({
        text: mailText(values.problem, language),
        advice: adviceOf(values.problem, language),
      })
    case 'mail.on':
      return ({ i18n }) => ({ text: i18n._('Emails are being sent.') })
    case 'mail.off':
      return ({ i18n }) => ({
        text: [
          i18n._('Emails about unread messages are turned off.'),
          ...(values.is_fixed ? [i18n._('Set in linnet.toml.')] : []),
        ].join(' '),
      })
    case 'mail.none_due':
      return ({ i18n }) => ({ text: i18n._('No emails have been due yet.') })
    case 'mail.rejected':
      return ({ i18n, count }) => ({
        text: i18n._('Addresses that have refused emails in the last seven days: {count}.', {
          count: count(values.addresses),
        }),
        advice: i18n._('Ask these people for another address.'),
      })
    case 'mail.invitations_failed':
      return ({ i18n, count }) => ({
        text: i18n._('Invitations of the last seven days that weren’t delivered: {count}.', {
          count: count(values.invitations),
        }),
        advice: i18n._('Send them again, or share a link: choose “Invite people”.'),
      })
    case 'push.ready':
      return ({ i18n }) => ({ text: i18n._('This server has keys and a contact address for push services.') })
    case 'push.no_contact':
      return ({ i18n }) => ({
        text: i18n._('No contact address is set. Some push services refuse notifications without one.'),
        advice: i18n._('Set push_contact in linnet.toml to an address such as mailto:admin@example.com.'),
      })
    case 'push.unused':
      return ({ i18n }) => ({ text: i18n._('No notification has been sent to a device yet.') })
    case 'dns.resolved':
      return ({ i18n }) => ({ text: i18n._('The server can resolve the names of other servers.') })
    case 'dns.unresolved':
      return ({ i18n }) => ({
        text:
          values.name === 'mail'
            ? i18n._('The name of the mail server cannot be resolved.')
            : i18n._('The name of the public address cannot be resolved.'),
        advice: i18n._('Check the name in the settings, its DNS records, and the resolver of this machine.'),
      })
    case 'address.local':
      return ({ i18n }) => ({ text: i18n._('The server is reachable from its own machine only.') })
    case 'address.reached':
      return ({ i18n }) => ({
        text: i18n._('The public address leads to this server, and live connections work.'),
      })
    case 'address.unencrypted':
      return ({ i18n }) => ({
        text: i18n._(
          'The public address uses plain http, so passwords and messages are not encrypted in transit.',
        ),
        advice: i18n._(
          'Set a certificate in linnet.toml (tls_cert and tls_key), or use a proxy that has one.',
        ),
      })
    case 'address.unreachable':
      return ({ i18n }) => ({
        text: i18n._('This server cannot reach its own public address.'),
        advice: i18n._(
          'Open the address from another network. If it works there, your router may not forward requests from inside. Otherwise check DNS, the firewall and the proxy.',
        ),
      })
    case 'address.other_server':
      return ({ i18n }) => ({
        text: i18n._('The public address leads to another server.'),
        advice: i18n._(
          'Correct the DNS record or the proxy, or set public_url in linnet.toml to the address of this server.',
        ),
      })
    case 'address.no_websocket':
      return ({ i18n }) => ({
        text: i18n._(
          'The public address leads to this server, but WebSocket connections fail. Pages show changes late.',
        ),
        advice: i18n._('Configure the proxy to forward the headers Upgrade and Connection.'),
      })
    case 'certificate.valid':
      return ({ i18n, count }) => ({
        text: i18n._('The certificate is valid. Days that remain: {days}.', { days: count(values.days) }),
      })
    case 'certificate.expires_soon':
      return ({ i18n, count }) => ({
        text: i18n._('The certificate expires soon. Days that remain: {days}.', { days: count(values.days) }),
        advice: i18n._(
          'Its automatic renewal has probably failed. Renew it, for example with: certbot renew',
        ),
      })
    case 'certificate.expired':
      return ({ i18n }) => ({
        text: i18n._('The certificate has expired. Browsers refuse to open the address.'),
        advice: i18n._('Renew it, for example with: certbot renew'),
      })
    case 'certificate.other_name':
      return ({ i18n }) => ({
        text: i18n._('The certificate is for another name. Browsers warn about the address.'),
        advice: i18n._('Request a certificate for the name of the public address.'),
      })
    case 'certificate.untrusted':
      return ({ i18n }) => ({
        text: i18n._(
          'The certificate is not trusted by this machine: it is self-signed, or its chain is incomplete.',
        ),
        advice: i18n._('Use the full chain (fullchain.pem) of a certificate authority that browsers trust.'),
      })
    case 'certificate.unreadable':
      return ({ i18n }) => ({
        text: i18n._('The certificate or its key cannot be read, or they do not match.'),
        advice: i18n._('Check the paths and permissions of the files in tls_cert and tls_key.'),
      })
    case 'backups.none':
      return ({ i18n }) => ({
        text: i18n._('There is no backup.'),
        advice: i18n._(
          'Back up now: linnet backup. The log has the reason why the daily backup is missing: linnet logs',
        ),
      })
    case 'backups.none_yet':
      return ({ i18n }) => ({
        text: i18n._('There is no backup yet. The first one is made within a day.'),
        advice: i18n._('Back up now: linnet backup'),
      })
    case 'backups.old':
      return ({ i18n, time }) => ({
        text: i18n._('The last backup is from {time}.', { time: time(values.at) }),
        advice: i18n._(
          'Back up now: linnet backup. The log has the reason why later backups are missing: linnet logs',
        ),
      })
    case 'backups.recent':
      return ({ i18n, time }) => ({
        text: i18n._('The last backup is from {time}.', { time: time(values.at) }),
      })
    case 'backups.failed':
      return ({ i18n, time }) => ({
        text: i18n._('The backup at {time} failed.', { time: time(values.at) }),
        advice: i18n._('On the server, read the reason: linnet doctor'),
      })
    case 'backups.same_disk':
      return ({ i18n }) => ({
        text: i18n._(
          'The only copy of the backups is on the same disk as the data. A broken disk destroys both.',
        ),
        advice: i18n._(
          'In linnet.toml under [backup], set “to” to a folder on another disk, or set “command” to a command that copies the backups elsewhere.',
        ),
      })
    case 'backups.no_recovery_sheet':
      return ({ i18n }) => ({
        text: i18n._(
          'The recovery sheet was not printed. Copies of the backups at other places cannot be read without its key.',
        ),
        advice: i18n._('On the server, print it and keep it in a safe place: linnet backup key'),
      })
    case 'backups.command_failed':
      return ({ i18n }) => ({
        text: i18n._('The command that copies the backups failed.'),
        advice: i18n._('On the server, read the reason: linnet doctor'),
      })
    case 'backups.not_restorable':
      return ({ i18n, time }) => ({
        text: i18n._('The check at {time} could not restore the backup.', { time: time(values.at) }),
        advice: i18n._('On the server, read the reason (linnet doctor), then back up again: linnet backup'),
      })
    case 'backups.unproven':
      return ({ i18n }) => ({
        text: i18n._('No check has restored a backup yet.'),
        advice: i18n._('On the server, restore one for a trial: linnet backup verify'),
      })
    case 'backups.proven':
      return ({ i18n, time }) => ({
        text: i18n._('A check restored a backup at {time}.', { time: time(values.at) }),
      })
    case 'backups.log_not_archived':
      return ({ i18n }) => ({
        text: i18n._('Changes since the last backup are not archived, so a restore loses them.'),
        advice: i18n._('On the server, read the reason: linnet doctor'),
      })
    case 'outgoing.paused':
      return ({ i18n, time }) => ({
        text: i18n._('This server was restored at {time} and sends nothing to other servers yet.', {
          time: time(values.since),
        }),
        advice: i18n._('Make sure that the original server is gone, then run: linnet resume'),
      })
    case 'jobs.none_waiting':
      return ({ i18n }) => ({ text: i18n._('Nothing waiting.') })
    case 'jobs.late':
      return ({ i18n, count, time }) => ({
        text: i18n._('{count} waiting since {time}.', {
          count: jobCount(values.jobs, { i18n, count }),
          time: time(values.since),
        }),
        advice: i18n._('Check the server log: the service that does this work may not be running.'),
      })
    case 'jobs.retried':
      return (language) => {
        const { i18n, time } = language
        const waiting = i18n._('{count} waiting since {time}.', {
          count: jobCount(values.jobs, language),
          time: time(values.since),
        })
        const next = i18n._('Next attempt: {time}.', { time: time(values.next) })
        return {
          text: `${waiting} ${causeOf(values.problem, language)} ${next}`,
          advice: adviceOf(values.problem, language),
        }
      }
    case 'jobs.failed':
      return (language) => {
        const { i18n, time } = language
        const failed = i18n._('{count} given up in the last seven days, most recently {time}.', {
          count: jobCount(values.jobs, language),
          time: time(values.latest),
        })
        return {
          text: `${failed} ${causeOf(values.problem, language)}`,
          advice: adviceOf(values.problem, language),
        }
      }
    case 'schedule.running':
      return ({ i18n }) => ({ text: i18n._('All are running.') })
    case 'schedule.paused':
      return ({ i18n, time }) => ({
        text: i18n._('None has run since {time}.', { time: time(values.since) }),
        advice: i18n._(
          'Restart Linnet. Until then, messages aren’t deleted, and emails and reminders aren’t sent.',
        ),
      })
    case 'schedule.failing':
      return ({ i18n }) => ({
        text: i18n._('The last run failed: {names}.', { ...values }),
        advice: i18n._('The server log has the reason.'),
      })
    case 'schedule.turned_off':
      return ({ i18n }) => ({
        text: i18n._('Turned off: {names}.', { ...values }),
        advice: i18n._('Turn them on in cron.job, unless this is intended.'),
      })
    case 'schedule.unknown':
      return ({ i18n }) => ({ text: i18n._('This server doesn’t let Linnet read them.') })
    case 'database.size':
      return ({ bytes }) => ({ text: bytes(values.bytes) })
    case 'database.unknown':
      return ({ i18n }) => ({ text: i18n._('Its size is unknown.') })
    case 'files.used':
      return (language) => ({ text: usedText(values, language) })
    case 'files.nearly_full':
      return (language) => ({ text: usedText(values, language), advice: filesAdvice(language) })
    case 'files.full':
      return (language) => ({
        text: `${usedText(values, language)} ${language.i18n._(
          'File storage is full. Nobody can send files until some are deleted or the limit is raised.',
        )}`,
        advice: filesAdvice(language),
      })
    case 'webhooks.enabled':
      return ({ i18n }) => ({ text: i18n._('None was turned off after failed deliveries.') })
    case 'webhooks.disabled':
      return ({ i18n, count }) => ({
        text: i18n._('Webhooks that were turned off after failed deliveries: {count}.', {
          count: count(values.webhooks),
        }),
        advice: i18n._('Check their addresses, then turn them on again.'),
      })
  }
}

function usedText(values: { used_bytes: number; max_bytes: number }, { i18n, bytes }: CheckLanguage): string {
  return i18n._('{used} of {limit} used.', {
    used: bytes(values.used_bytes),
    limit: bytes(values.max_bytes),
  })
}

function filesAdvice({ i18n }: CheckLanguage): string {
  return i18n._('Raise the limit, or see which people and channels use the storage.')
}

function jobCount(jobs: number, { i18n, count }: Pick<CheckLanguage, 'i18n' | 'count'>): string {
  return jobs < maxCount ? count(jobs) : i18n._('{count} or more', { count: count(maxCount) })
}

function mailText(problem: ProblemKind, { i18n }: CheckLanguage): string {
  switch (problem) {
    case 'sign_in':
      return i18n._('The mail server rejects the user name or password, so emails are not sent.')
    case 'certificate':
      return i18n._('The certificate of the mail server isn’t valid, so emails are not sent.')
    case 'timeout':
      return i18n._('The mail server does not respond in time, so emails are not sent.')
    case 'unreachable':
      return i18n._('The mail server cannot be reached, so emails are not sent.')
    case 'refused':
    case 'other':
      return i18n._('The mail server refuses connections of this server, so emails are not sent.')
  }
}

function causeOf(problem: ProblemKind, { i18n }: CheckLanguage): string {
  switch (problem) {
    case 'sign_in':
      return i18n._('The last attempt failed because the other server rejected the user name or password.')
    case 'certificate':
      return i18n._('The last attempt failed because the certificate of the other server isn’t valid.')
    case 'timeout':
      return i18n._('The last attempt failed because the other server didn’t respond in time.')
    case 'unreachable':
      return i18n._('The last attempt failed because the other server couldn’t be reached.')
    case 'refused':
      return i18n._('The last attempt failed because the other server refused it.')
    case 'other':
      return i18n._('The last attempt failed.')
  }
}

function adviceOf(problem: ProblemKind, { i18n }: CheckLanguage): string {
  switch (problem) {
    case 'sign_in':
      return i18n._('Correct the user name and password in linnet.toml, then restart Linnet.')
    case 'certificate':
    case 'timeout':
    case 'unreachable':
      return i18n._('Check its address, and whether this server may connect to it.')
    case 'refused':
    case 'other':
      return i18n._('The server log has the reason.')
  }
}
