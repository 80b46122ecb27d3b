import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { WorkspaceExport, WorkspaceExports } from '../../../../wire/moving.ts'
import {
  downloadExport,
  removeExport,
  startExport,
  workspaceExports,
} from '../../../data/administration/exports.ts'
import { privateExportOf } from '../../../data/workspaces/privateExport.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { LoadTogether } from '../../../features/parts/lists/LoadTogether.tsx'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { Button } from '../../../ui/Button.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { formatDateTime, formatDayAndTime } from '../../../ui/dates.ts'
import { formatBytes } from '../../../ui/formatBytes.ts'
import { useAction } from '../../../ui/useAction.ts'
import { PaneFrame } from '../PaneFrame.tsx'
import settings from '../SettingsPane.module.css'
import { SettingsSection } from '../SettingsSection.tsx'
import { FailureNotice } from './FailureNotice.tsx'
import styles from './MovingPane.module.css'
import { Progress } from './Progress.tsx'
import { usePolling } from '../../../data/queries/usePolling.ts'
import { useLinnetCommand } from '../../../features/parts/server/useLinnetCommand.ts'

/** Owners export the workspace to one file. */
export default function WorkspaceExportPane() {
  const linnet = useLinnetCommand()
  const query = useQuery(workspaceExports)
  const privateExport = privateExportOf(useMe().workspace)
  const hasPrivate = privateExport === true
  return (
    <PaneFrame
      hint={i18n._(
        'Save the workspace in one ZIP file. Another Linnet server can import it, and other programs can read it.',
      )}
    >
      <LoadTogether>
        <QueryContent query={query} loading={i18n._('Loading…')}>
          {(value) => (value === null ? <OnCommandLine /> : <State value={value} />)}
        </QueryContent>
        <SettingsSection title={i18n._('What the file contains')}>
          <ul className={styles.list}>
            <li>
              {i18n._('All public channels with their messages, threads, edits, reactions, pins and files')}
            </li>
            {hasPrivate && <li>{i18n._('Private channels, direct messages and group conversations')}</li>}
            <li>{i18n._('Members with their email addresses, roles, profiles and groups')}</li>
            <li>{i18n._('Custom emoji, bookmarks, workspace settings and the audit log')}</li>
          </ul>
        </SettingsSection>
        <SettingsSection title={i18n._('What it doesn’t contain')}>
          <ul className={styles.list}>
            {!hasPrivate && (
              <li>
                {typeof privateExport === 'string'
                  ? i18n._(
                      'Private channels, direct messages and group conversations. You can export them starting {time}.',
                      {
                        time: formatDateTime(privateExport),
                      },
                    )
                  : i18n._('Private channels, direct messages and group conversations')}
              </li>
            )}
            <li>{i18n._('Drafts, saved messages and personal settings of members')}</li>
            <li>{i18n._('Passwords, invitation links, tokens of bots and secrets of webhooks')}</li>
          </ul>
          <p className="note">
            {i18n._(
              'The person who operates the server can export private conversations too, with the command {command}.',
              { command: `${linnet} export` },
            )}
          </p>
        </SettingsSection>
      </LoadTogether>
    </PaneFrame>
  )
}

/** A hosted project has no server that could export. */
function OnCommandLine() {
  return (
    <>
      <p>{i18n._('This project is exported on the command line. On a computer with Linnet, run:')}</p>
      <pre className={styles.command}>
        <code>linnet export workspace.zip --scope owner --url https://…</code>
      </pre>
    </>
  )
}

function State({ value }: { value: WorkspaceExports }) {
  const { export: found, isBusy } = value
  usePolling(workspaceExports, isBusy)
  const start = useAction()
  const canStart = found?.state !== 'running'
  return (
    <>
      {found?.state === 'running' ? <Running found={found} /> : null}
      {found?.state === 'done' ? <Done found={found} /> : null}
      {found?.state === 'failed' && found.failure !== null ? (
        <FailureNotice
          title={i18n._('The export couldn’t be completed.')}
          failure={found.failure}
          reason={found.reason}
        />
      ) : null}
      {canStart ? (
        <>
          {isBusy ? (
            <p className="muted">
              {i18n._('Another export or import is running on the server. Try again when it has finished.')}
            </p>
          ) : null}
          <div>
            <Button
              variant={found?.state === 'done' ? 'plain' : 'primary'}
              disabled={isBusy}
              busy={start.busy}
              onClick={() => void start.run(startExport)}
            >
              {found?.state === 'done' ? i18n._('Export again') : i18n._('Start export')}
            </Button>
          </div>
          {start.failure ? <p role="alert">{start.failure}</p> : null}
        </>
      ) : null}
    </>
  )
}

function Running({ found }: { found: WorkspaceExport }) {
  const { bytes, storedBytes } = found
  const cancel = useAction()
  // Rows are read before files, and their size is not known.
  const isFiles = bytes < storedBytes
  return (
    <div className={styles.state}>
      <Progress
        text={
          isFiles
            ? i18n._('Exporting: {done} of about {total}', {
                done: formatBytes(bytes),
                total: formatBytes(storedBytes),
              })
            : i18n._('Exporting: {done}', { done: formatBytes(bytes) })
        }
        part={isFiles ? bytes / storedBytes : null}
      />
      <p className="note">{i18n._('You can leave this page. Linnet stays usable in the meantime.')}</p>
      <div>
        <Button busy={cancel.busy} onClick={() => void cancel.run(() => removeExport(found))}>
          {i18n._('Cancel export')}
        </Button>
      </div>
      {cancel.failure ? <p role="alert">{cancel.failure}</p> : null}
    </div>
  )
}

function Done({ found }: { found: WorkspaceExport }) {
  const download = useAction()
  const [isRemoving, setRemoving] = useState(false)
  const { result, bytes, startedAt, expiresAt } = found
  return (
    <div className={styles.state}>
      <p role="status">
        {i18n._(
          'The export of {time} is ready: {size}, with {files, plural, one {# file} other {# files}}.',
          {
            time: formatDayAndTime(startedAt),
            size: formatBytes(bytes),
            files: result?.files ?? 0,
          },
        )}
      </p>
      {result && result.missingFiles > 0 ? (
        <p>
          {i18n._(
            '{count, plural, one {# file of a message is} other {# files of messages are}} missing on the server, and therefore in the export.',
            { count: result.missingFiles },
          )}
        </p>
      ) : null}
      <p className="note">
        {i18n._('It contains email addresses. Store it as safely as a backup. It’s deleted here: {time}.', {
          time: expiresAt === null ? '' : formatDayAndTime(expiresAt),
        })}
      </p>
      <div className={settings.line}>
        <Button
          variant="primary"
          busy={download.busy}
          onClick={() => void download.run(() => downloadExport(found))}
        >
          {i18n._('Download')}
        </Button>
        <Button variant="quiet" onClick={() => setRemoving(true)}>
          {i18n._('Delete now')}
        </Button>
      </div>
      {download.failure ? <p role="alert">{download.failure}</p> : null}
      {isRemoving ? (
        <ConfirmDialog
          title={i18n._('Delete this export?')}
          text={i18n._('The file is deleted on the server. The workspace itself doesn’t change.')}
          action={i18n._('Delete export')}
          isDestructive
          run={() => removeExport(found)}
          onClose={() => setRemoving(false)}
        />
      ) : null}
    </div>
  )
}
