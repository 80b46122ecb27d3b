import type { CertificateProblem, CheckCode, CheckValues, ProblemKind } from './serverChecks.ts'

/** Translates texts, and formats values. The app and the server each provide one. */
export interface CheckLanguage {
  i18n: { _(text: string, values?: Record<string, unknown>): string }
  bytes(bytes: number): string
  /** @param time ISO 8601 */
  time(time: string): string
  count(count: number): string
  /** A command as it is typed on the machine of the server: `linnet logs`, or `bin/linnet logs` in a checkout. */
  command(words: string): string
}

/** The number up to which jobs are counted. */
const maxCount = 1000

/** The texts of a finding. */
export interface FindingText {
  /** What is right or wrong: full sentences. */
  text: string
  /** What to do, if there is anything to do. */
  advice?: string
  /** Advice to run a command on the server. Owners do without it: the page "Server" has a button, or shows the same. */
  commandAdvice?: string
}

/** The texts of each finding. TypeScript refuses a finding that has none. */
export const findingTexts: {
  [Code in CheckCode]: (language: CheckLanguage, values: CheckValues[Code]) => FindingText
} = {
  'server.running': ({ i18n, time }, values) => ({
    text: i18n._('Running since {time}.', { time: time(values.since) }),
  }),
  'server.stopped': ({ i18n, command }) => ({
    text: i18n._('The server is not running.'),
    advice: i18n._('Run: {command}', { command: command('start') }),
  }),
  'server.starting': ({ i18n, command }) => ({
    text: i18n._('The server holds the lock of its data but is not ready yet.'),
    advice: i18n._('Wait until it has started, then check again. The log shows the progress: {command}', {
      command: command('logs'),
    }),
  }),
  'server.unresponsive': ({ i18n, command }) => ({
    text: i18n._('The server is running but does not respond.'),
    advice: i18n._('Read its log ({logs}), then restart it ({stop}, {start}).', {
      logs: command('logs'),
      stop: command('stop'),
      start: command('start'),
    }),
  }),
  'server.not_reporting': ({ i18n, command, time }, values) => ({
    text: i18n._('The server has not checked itself since {time}.', { time: time(values.since) }),
    advice: i18n._('On the server, run: {command}', { command: command('doctor') }),
  }),
  'version.current': ({ i18n }, values) => ({
    text: i18n._('Linnet {version}.', { version: values.version }),
  }),
  'version.restart_needed': ({ i18n }, values) => ({
    text: i18n._('Linnet {version} is running, and {installed} is installed.', { ...values }),
    advice: i18n._('Restart the server to use the installed version.'),
  }),
  'version.migrations_pending': ({ i18n, count }, values) => ({
    text: i18n._('Migrations that are not applied yet: {count}.', { count: count(values.migrations) }),
    advice: i18n._('Restart the server. It applies them when it starts.'),
  }),
  'disk.enough': ({ i18n, bytes }, values) => ({
    text: i18n._('{free} of {total} are free.', {
      free: bytes(values.free_bytes),
      total: bytes(values.total_bytes),
    }),
  }),
  'disk.low': ({ i18n, bytes }, values) => ({
    text: i18n._('The disk is almost full: {free} of {total} are free. A full disk stops all writing.', {
      free: bytes(values.free_bytes),
      total: bytes(values.total_bytes),
    }),
    advice: i18n._('Delete files that are not needed, or move the data to a larger disk.'),
  }),
  'disk.unknown': ({ i18n }) => ({ text: i18n._('The system does not report the free space of the disk.') }),
  'permissions.correct': ({ i18n }) => ({
    text: i18n._('Linnet can write its data, and other users cannot read its keys.'),
  }),
  'permissions.no_installation': ({ i18n, command }) => ({
    text: i18n._('There is no installation in this folder yet.'),
    advice: i18n._('Name the folder of an existing installation with --data, or create one: {command}', {
      command: command('start'),
    }),
  }),
  'permissions.not_writable': ({ i18n, count }, values) => ({
    text: i18n._('Folders and files that Linnet cannot read or write: {count}.', {
      count: count(values.entries),
    }),
    advice: i18n._('Make the user that runs Linnet their owner.'),
  }),
  'permissions.secrets_readable': ({ i18n, command, count }, values) => ({
    text: i18n._('Files with keys or passwords that other users of the server can read: {count}.', {
      count: count(values.entries),
    }),
    advice: i18n._('On the server, run: {command}', { command: command('doctor --repair') }),
  }),
  'settings.valid': ({ i18n }) => ({ text: i18n._('The settings files are valid.') }),
  'settings.invalid': ({ i18n }) => ({
    text: i18n._('The settings files have an error, so the server does not start with them.'),
    advice: i18n._('Correct the file, then start the server.'),
  }),
  'settings.warnings': ({ i18n, command, count }, values) => ({
    text: i18n._('The settings files have warnings: {count}.', { count: count(values.warnings) }),
    advice: i18n._('On the server, run: {command}', { command: command('doctor') }),
  }),
  'secrets.complete': ({ i18n }) => ({
    text: i18n._('Linnet can read the keys and passwords of this installation.'),
  }),
  'secrets.damaged': ({ i18n }) => ({
    text: i18n._('A file with keys or passwords of this installation is damaged.'),
    advice: i18n._('Restore the file from a backup. Do not delete it: the data cannot be used without it.'),
  }),
  'secrets.missing': ({ i18n }) => ({
    text: i18n._('The database exists, but a file with its keys or passwords is missing.'),
    advice: i18n._('Restore the file from a backup.'),
  }),
  'leftovers.none': ({ i18n }) => ({ text: i18n._('Nothing is left over from interrupted work.') }),
  'leftovers.found': ({ i18n, command, bytes, count }, values) => ({
    text: i18n._('Files and folders left over from interrupted work: {count} ({size}).', {
      count: count(values.entries),
      size: bytes(values.bytes),
    }),
    advice: i18n._('On the server, run: {command}', { command: command('doctor --repair') }),
  }),
  'port.free': ({ i18n }, values) => ({
    text: i18n._('Port {port} is free.', { port: String(values.port) }),
  }),
  'port.taken': ({ i18n }, values) => ({
    text: i18n._('Port {port} is in use by another program.', { port: String(values.port) }),
    advice: i18n._('Stop that program, or choose another port in linnet.toml.'),
  }),
  'port.not_permitted': ({ i18n }, values) => ({
    text: i18n._('This user isn’t allowed to open port {port}.', { port: String(values.port) }),
    advice: i18n._('Choose a port above 1023 in linnet.toml, and use a proxy that forwards requests to it.'),
  }),
  'port.no_address': ({ i18n }) => ({
    text: i18n._('This machine does not have the address that the server is configured to listen on.'),
    advice: i18n._('Set host in linnet.toml to one of its addresses, or to 0.0.0.0 for all of them.'),
  }),
  'clock.synchronized': ({ i18n }) => ({
    text: i18n._('The system reports that the clock is synchronized.'),
  }),
  'clock.not_synchronized': ({ i18n }) => ({
    text: i18n._(
      'The system reports that the clock is not synchronized. Sign-in codes and links fail when it is wrong.',
    ),
    advice: i18n._('On the server, turn on time synchronization: timedatectl set-ntp true'),
  }),
  'clock.unknown': ({ i18n }) => ({
    text: i18n._('The system does not report whether the clock is synchronized.'),
  }),
  'postgres.running': ({ i18n }, values) => ({
    text: i18n._('PostgreSQL {version} is running.', { version: values.version }),
  }),
  'postgres.down': ({ i18n, command }) => ({
    text: i18n._('PostgreSQL does not respond.'),
    advice: i18n._('The server restarts it automatically. If this continues, read its log: {command}', {
      command: command('logs'),
    }),
  }),
  'postgres.startable': ({ i18n }, values) => ({
    text: i18n._('The data was created by PostgreSQL {version}, which this version of Linnet includes.', {
      version: String(values.version),
    }),
  }),
  'postgres.other_version': ({ i18n }, values) => ({
    text: i18n._(
      'The data was created by PostgreSQL {version}. This version of Linnet includes PostgreSQL {included}, which cannot read it.',
      { version: String(values.version), included: String(values.included) },
    ),
    advice: i18n._(
      'Linnet moves the data of an earlier version when it starts. For a later version, use the version of Linnet that created the data.',
    ),
  }),
  'postgres.damaged': ({ i18n }) => ({
    text: i18n._('The folder of PostgreSQL lacks files that it needs to start.'),
    advice: i18n._(
      'Restore a backup into an empty folder. Keep the damaged folder until the restored server works.',
    ),
  }),
  'postgres.unavailable': ({ i18n }) => ({
    text: i18n._('The programs of PostgreSQL cannot be used.'),
    advice: i18n._('Install the packages of Linnet again: npm install'),
  }),
  'realtime.reading': ({ i18n }) => ({ text: i18n._('The server sends changes to open pages.') }),
  'realtime.behind': ({ i18n, command, bytes }, values) => ({
    text: i18n._('The server has not read {size} of changes yet, so open pages show new messages late.', {
      size: bytes(values.behind_bytes),
    }),
    advice: i18n._('Wait. If this continues, read the log of the server: {command}', {
      command: command('logs'),
    }),
  }),
  'realtime.stopped': ({ i18n }) => ({
    text: i18n._(
      'The server does not read the changes of the database, so open pages show them only after a reload.',
    ),
    advice: i18n._('The server tries again automatically. If this continues, restart it.'),
  }),
  'broadcasts.stored': ({ i18n }) => ({
    text: i18n._('The database can store the events of today and tomorrow.'),
  }),
  'broadcasts.no_partition': ({ i18n, command }) => ({
    text: i18n._('The database has no partition for the events of today or tomorrow, so they are dropped.'),
    advice: i18n._('On the server, run: {command}', { command: command('doctor --repair') }),
  }),
  'storage.consistent': ({ i18n }) => ({
    text: i18n._('Each stored file has a row, and each row has a file.'),
  }),
  'storage.without_bytes': ({ i18n, command, count }, values) => ({
    text: i18n._('Files in the database whose content is missing on the disk: {count}.', {
      count: count(values.objects),
    }),
    advice: i18n._('Restore these files from a backup. On the server, {command} lists them.', {
      command: command('doctor'),
    }),
  }),
  'storage.without_row': ({ i18n, command, count }, values) => ({
    text: i18n._('Files on the disk that are not in the database: {count}.', {
      count: count(values.files),
    }),
    advice: i18n._('On the server, move them aside: {command}', { command: command('doctor --repair') }),
  }),
  'storage.unknown': ({ i18n }) => ({ text: i18n._('Stored files and their rows could not be compared.') }),
  'mail.reachable': ({ i18n }) => ({ text: i18n._('The mail server accepts connections.') }),
  'mail.no_server': ({ i18n }) => ({
    text: i18n._('No mail server is set up, so nobody gets emails.'),
    advice: i18n._(
      'Set up a mail server in Settings, on the page “Server”, or in linnet.toml under [auth.email.smtp].',
    ),
  }),
  'mail.local_mailbox': ({ i18n }) => ({
    text: i18n._('No mail server is set up. Emails are stored in the mailbox of this machine.'),
    advice: i18n._(
      'Set up a mail server before other people use this server: in Settings, on the page “Server”, or in linnet.toml under [auth.email.smtp].',
    ),
  }),
  'mail.failing': (language, values) => ({
    text: mailText(values.problem, language),
    advice: adviceOf(values.problem, language),
  }),
  'mail.limit_reached': ({ i18n, time }, values) => ({
    text: i18n._(
      'The hourly limit of emails for sign-in was reached at {refused}. Until {until}, some people won’t get one.',
      {
        refused: time(values.refused_at),
        until: time(values.until),
      },
    ),
    advice: i18n._('Raise “Sign-in emails per hour” in Settings, on the page “Server”.'),
  }),
  'mail.on': ({ i18n }) => ({ text: i18n._('Emails are being sent.') }),
  'mail.off': ({ i18n }, values) => ({
    text: [
      i18n._('Emails about unread messages are turned off.'),
      ...(values.is_fixed ? [i18n._('Set in linnet.toml.')] : []),
    ].join(' '),
  }),
  'mail.none_due': ({ i18n }) => ({ text: i18n._('No emails were due yet.') }),
  'mail.rejected': ({ i18n, count }, values) => ({
    text: i18n._('Addresses that have refused emails in the last seven days: {count}.', {
      count: count(values.addresses),
    }),
    advice: i18n._('Ask these people for another address.'),
  }),
  'mail.invitations_failed': ({ i18n, count }, values) => ({
    text: i18n._('Invitations of the last seven days that weren’t delivered: {count}.', {
      count: count(values.invitations),
    }),
    advice: i18n._('Send them again, or share a link: choose “Invite people”.'),
  }),
  'push.ready': ({ i18n }) => ({
    text: i18n._('This server has keys and a contact address for push services.'),
  }),
  'push.no_contact': ({ i18n }) => ({
    text: i18n._('No contact address is set. Some push services refuse notifications without one.'),
    advice: i18n._('Set push_contact in linnet.toml to an address such as mailto:admin@example.com.'),
  }),
  'push.unused': ({ i18n }) => ({ text: i18n._('No notification has been sent to a device yet.') }),
  'dns.resolved': ({ i18n }) => ({ text: i18n._('The server can resolve the names of other servers.') }),
  'dns.unresolved': ({ i18n }, values) => ({
    text:
      values.name === 'mail'
        ? i18n._('The name of the mail server cannot be resolved.')
        : i18n._('The name of the public address cannot be resolved.'),
    advice: i18n._('Check the name in the settings, its DNS records, and the resolver of this machine.'),
  }),
  'address.local': ({ i18n }) => ({ text: i18n._('The server is reachable from its own machine only.') }),
  'address.reached': ({ i18n }) => ({
    text: i18n._('The public address leads to this server, and live connections work.'),
  }),
  'address.unencrypted': ({ i18n }) => ({
    text: i18n._(
      'The public address uses plain http, so passwords and messages are not encrypted in transit.',
    ),
    advice: i18n._(
      'Let Linnet request a certificate (acme in [tls] of linnet.toml), or use a proxy that has one.',
    ),
  }),
  'address.private_network': ({ i18n }) => ({
    text: i18n._(
      'Linnet is used over http at an address of your own network. Passwords and messages are not encrypted in transit, and notifications, passkeys and voice messages need https.',
    ),
    advice: i18n._(
      'Use http only among people you trust. For https you need a domain name that leads to this machine, and a certificate for it (tls_cert and tls_key in [server] of linnet.toml).',
    ),
  }),
  'address.unreachable': ({ i18n }) => ({
    text: i18n._('This server cannot reach its own public address.'),
    advice: i18n._(
      'Open the address from another network. If it works there, your router may not forward requests from inside. Otherwise check DNS, the firewall and the proxy.',
    ),
  }),
  'address.other_server': ({ i18n }) => ({
    text: i18n._('The public address leads to another server.'),
    advice: i18n._(
      'Correct the DNS record or the proxy, or change the public address in Settings, on the page “Server”.',
    ),
  }),
  'address.no_websocket': ({ i18n }) => ({
    text: i18n._(
      'The public address leads to this server, but WebSocket connections fail. Pages show changes late.',
    ),
    advice: i18n._('Configure the proxy to forward the headers Upgrade and Connection.'),
  }),
  'certificate.valid': ({ i18n, count }, values) => ({
    text: i18n._('The certificate is valid. Days remaining: {days}.', { days: count(values.days) }),
  }),
  'certificate.expires_soon': ({ i18n, count }, values) => ({
    text: i18n._('The certificate expires soon. Days remaining: {days}.', { days: count(values.days) }),
    advice: i18n._('Its automatic renewal has probably failed. Renew it, for example with: certbot renew'),
  }),
  'certificate.expired': ({ i18n }) => ({
    text: i18n._('The certificate has expired. Browsers refuse to open the address.'),
    advice: i18n._('Renew it, for example with: certbot renew'),
  }),
  'certificate.other_name': ({ i18n }) => ({
    text: i18n._('The certificate is for another name. Browsers warn about the address.'),
    advice: i18n._('Request a certificate for the name of the public address.'),
  }),
  'certificate.untrusted': ({ i18n }) => ({
    text: i18n._(
      'The certificate is not trusted by this machine: it is self-signed, or its chain is incomplete.',
    ),
    advice: i18n._('Use the full chain (fullchain.pem) of a certificate authority that browsers trust.'),
  }),
  'certificate.unreadable': ({ i18n }) => ({
    text: i18n._('The certificate or its key cannot be read, or they do not match.'),
    advice: i18n._('Check the paths and permissions of the files in tls_cert and tls_key.'),
  }),
  'certificate.requested': ({ i18n }) => ({
    text: i18n._('The first certificate is being requested. Browsers warn about the address until then.'),
  }),
  'certificate.request_failed': (language, values) => {
    const { i18n, time } = language
    const next = i18n._('Next attempt: {time}.', { time: time(values.next) })
    return {
      text: `${certificateText(values.problem, language)} ${next}`,
      advice: certificateAdvice(values.problem, language),
    }
  },
  'backups.none': ({ i18n, command }) => ({
    text: i18n._('There is no backup.'),
    advice: i18n._('The log shows why the daily backup is missing ({command}).', {
      command: command('logs'),
    }),
    commandAdvice: i18n._('Back up now: {command}', { command: command('backup') }),
  }),
  'backups.none_yet': ({ i18n, command }) => ({
    text: i18n._('There is no backup yet. The first one is made within a day.'),
    commandAdvice: i18n._('Back up now: {command}', { command: command('backup') }),
  }),
  'backups.old': ({ i18n, command, time }, values) => ({
    text: i18n._('The last backup is from {time}.', { time: time(values.at) }),
    advice: i18n._('The log shows why later backups are missing ({command}).', { command: command('logs') }),
    commandAdvice: i18n._('Back up now: {command}', { command: command('backup') }),
  }),
  'backups.recent': ({ i18n, time }, values) => ({
    text: i18n._('The last backup is from {time}.', { time: time(values.at) }),
  }),
  'backups.failed': ({ i18n, command, time }, values) => ({
    text: i18n._('The backup at {time} failed.', { time: time(values.at) }),
    commandAdvice: i18n._('To see the reason, run this command on the server: {command}', {
      command: command('doctor'),
    }),
  }),
  'backups.same_disk': ({ i18n }) => ({
    text: i18n._(
      'The only copy of the backups is on the same disk as the data. A broken disk destroys both.',
    ),
    advice: i18n._(
      'In linnet.toml under [backup], set “to” to a folder on another disk, or set “command” to a command that copies the backups elsewhere.',
    ),
  }),
  'backups.no_recovery_sheet': ({ i18n, command }) => ({
    text: i18n._(
      'The recovery sheet has not been printed yet. Copies of the backups in other places cannot be read without the key on it.',
    ),
    advice: i18n._('On the server, print it and keep it in a safe place: {command}', {
      command: command('backup key'),
    }),
  }),
  'backups.command_failed': ({ i18n, command }) => ({
    text: i18n._('The command that copies the backups failed.'),
    advice: i18n._('To see the reason, run this command on the server: {command}', {
      command: command('doctor'),
    }),
  }),
  'backups.not_restorable': ({ i18n, command, time }, values) => ({
    text: i18n._('The check at {time} could not restore the backup.', { time: time(values.at) }),
    advice: i18n._('On the server, find the reason ({doctor}), then back up again: {backup}', {
      doctor: command('doctor'),
      backup: command('backup'),
    }),
  }),
  'backups.unproven': ({ i18n, command }) => ({
    text: i18n._('No check has restored a backup yet.'),
    advice: i18n._('On the server, try restoring one: {command}', { command: command('backup verify') }),
  }),
  'backups.proven': ({ i18n, time }, values) => ({
    text: i18n._('A check restored a backup at {time}.', { time: time(values.at) }),
  }),
  'backups.log_not_archived': ({ i18n, command }) => ({
    text: i18n._('Changes since the last backup are not archived, so a restore loses them.'),
    advice: i18n._('To see the reason, run this command on the server: {command}', {
      command: command('doctor'),
    }),
  }),
  'outgoing.paused': ({ i18n, command, time }, values) => ({
    text: i18n._('This server was restored at {time} and sends nothing to other servers yet.', {
      time: time(values.since),
    }),
    advice: i18n._('Make sure that the original server is gone, then run: {command}', {
      command: command('resume'),
    }),
  }),
  'jobs.none_waiting': ({ i18n }) => ({ text: i18n._('Nothing waiting.') }),
  'jobs.late': ({ i18n, count, time }, values) => ({
    text: i18n._('{count} waiting since {time}.', {
      count: jobCount(values.jobs, { i18n, count }),
      time: time(values.since),
    }),
    advice: i18n._('Check the server log: the service that does this work may not be running.'),
  }),
  'jobs.retried': (language, values) => {
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
  },
  'jobs.failed': (language, values) => {
    const { i18n, time } = language
    const failed = i18n._('{count} given up in the last seven days, most recently {time}.', {
      count: jobCount(values.jobs, language),
      time: time(values.latest),
    })
    return {
      text: `${failed} ${causeOf(values.problem, language)}`,
      advice: adviceOf(values.problem, language),
    }
  },
  'schedule.running': ({ i18n }) => ({ text: i18n._('All are running.') }),
  'schedule.paused': ({ i18n, time }, values) => ({
    text: i18n._('None has run since {time}.', { time: time(values.since) }),
    advice: i18n._(
      'Restart Linnet. Until then, messages aren’t deleted, and emails and reminders aren’t sent.',
    ),
  }),
  'schedule.failing': ({ i18n }, values) => ({
    text: i18n._('The last run failed: {names}.', { ...values }),
    advice: i18n._('The server log has the reason.'),
  }),
  'schedule.turned_off': ({ i18n }, values) => ({
    text: i18n._('Turned off: {names}.', { ...values }),
    advice: i18n._('Turn them on in cron.job, unless this is intended.'),
  }),
  'schedule.unknown': ({ i18n }) => ({ text: i18n._('This server doesn’t let Linnet read them.') }),
  'database.size': ({ bytes }, values) => ({ text: bytes(values.bytes) }),
  'database.unknown': ({ i18n }) => ({ text: i18n._('Its size is unknown.') }),
  'files.used': (language, values) => ({ text: usedText(values, language) }),
  'files.nearly_full': (language, values) => ({
    text: usedText(values, language),
    advice: filesAdvice(language),
  }),
  'files.full': (language, values) => ({
    text: `${usedText(values, language)} ${language.i18n._(
      'File storage is full. Nobody can send files until some are deleted or the limit is raised.',
    )}`,
    advice: filesAdvice(language),
  }),
  'webhooks.enabled': ({ i18n }) => ({ text: i18n._('None was turned off after failed deliveries.') }),
  'webhooks.disabled': ({ i18n, count }, values) => ({
    text: i18n._('Webhooks that were turned off after failed deliveries: {count}.', {
      count: count(values.webhooks),
    }),
    advice: i18n._('Check their addresses, then turn them on again.'),
  }),
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

function certificateText(problem: CertificateProblem, { i18n }: CheckLanguage): string {
  switch (problem) {
    case 'validation':
      return i18n._(
        'The certificate authority did not find this server at the host name of the public address.',
      )
    case 'rate_limited':
      return i18n._(
        'The certificate authority has issued too many certificates or seen too many failed attempts.',
      )
    case 'unreachable':
      return i18n._('The certificate authority cannot be reached.')
    case 'refused':
      return i18n._('The certificate authority refuses to issue a certificate.')
    case 'other':
      return i18n._('The last request for a certificate failed.')
  }
}

function certificateAdvice(problem: CertificateProblem, { i18n }: CheckLanguage): string {
  switch (problem) {
    case 'validation':
      return i18n._(
        'Check the DNS records of the host name (A, AAAA and CAA), and whether port 80 of this machine is open to the internet.',
      )
    case 'rate_limited':
      return i18n._('Wait for the next attempt. To try settings, use the staging directory.')
    case 'unreachable':
      return i18n._('Check its address, and whether this server may connect to it.')
    case 'refused':
    case 'other':
      return i18n._('The server log has the reason.')
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
      return i18n._(
        'Correct the user name and password in Settings, on the page “Server”, or in linnet.toml.',
      )
    case 'certificate':
    case 'timeout':
    case 'unreachable':
      return i18n._('Check its address, and whether this server may connect to it.')
    case 'refused':
    case 'other':
      return i18n._('The server log has the reason.')
  }
}
