import { createPool } from '../postgres/connections/pool.ts'
import { renderMoment } from '../restore/moments.ts'
import { readRestoreMarker, type RestoreMarker } from '../restore/marker.ts'
import { confirmRestore } from '../restore/outgoingPause.ts'
import { defineCommand } from './Command.ts'
import { projectOptions, requireRunningServer } from './findProject.ts'

/** What the confirmed restore was, for the terminal. */
function describe({ recoveredTo, restoredAt }: RestoreMarker): string {
  const state = recoveredTo === null ? '' : `, to its state at ${renderMoment(new Date(recoveredTo))}`
  return `This server was restored at ${renderMoment(new Date(restoredAt))}${state}.`
}

/** `linnet resume`: confirms that the original of a restored server is gone. */
export const resume = defineCommand({
  name: 'resume',
  group: 'Server',
  summary: 'Confirm that the original of a restored server is gone',
  help: `A restored server sends no push notifications, no emails and no requests to other servers until
this command confirms that the original server is gone. If both sent them, people would get
everything twice. The restored server then also continues the backups of the original server,
which can no longer add to them. An owner can confirm this in the app too: Settings, Server
health.`,
  options: projectOptions,
  async run({ dataDir }) {
    const running = requireRunningServer(dataDir)
    const marker = readRestoreMarker(dataDir)
    if (marker === null) {
      process.stderr.write(
        'Nothing is paused: this server is not a restored copy, or its restore was confirmed already.\n',
      )
      return 0
    }
    const pool = createPool({ connectionString: running.dbUrl }, { max: 1, name: 'linnet resume' })
    try {
      await confirmRestore(dataDir, pool)
    } finally {
      await pool.end()
    }
    process.stderr.write(
      `${describe(marker)}\nConfirmed. Everything that was queued since the restore is sent within a minute.\n`,
    )
    return 0
  },
})
