import { i18n } from '@lingui/core'
import { useEffect, useRef, useState } from 'react'
import type { WorkspaceImport, WorkspaceImports } from '../../../../wire/moving.ts'
import {
  cancelImport,
  continueImport,
  removeImport,
  workspaceImports,
} from '../../../data/administration/importExport.ts'
import { importedPeople, importList } from '../../../data/administration/imports.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { Button } from '../../../ui/Button.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { useAction } from '../../../ui/useAction.ts'
import settings from '../SettingsPane.module.css'
import { SettingsSection } from '../SettingsSection.tsx'
import { ChooseExport } from './ChooseExport.tsx'
import { FailureNotice } from './FailureNotice.tsx'
import { ImportDone } from './ImportDone.tsx'
import { ImportReview } from './ImportReview.tsx'
import styles from './MovingPane.module.css'
import { Progress } from './Progress.tsx'
import { usePolling } from '../../../data/queries/usePolling.ts'

/** An owner uploads an export of another product, reviews it and imports it. */
export function NewImport() {
  const query = useQuery(workspaceImports)
  return (
    <SettingsSection
      title={i18n._('New import')}
      hint={i18n._(
        'Bring the channels, people, messages and files of another product here. Nobody is notified, and everything counts as read.',
      )}
    >
      <QueryContent query={query} loading={i18n._('Loading…')}>
        {(value) => (value === null ? <OnCommandLine /> : <Step value={value} />)}
      </QueryContent>
    </SettingsSection>
  )
}

/** A hosted project has no server that could import. */
function OnCommandLine() {
  return (
    <>
      <p>{i18n._('Imports into this project run on the command line. On a computer with Linnet, run:')}</p>
      <pre className={styles.command}>
        <code>linnet import slack export.zip --dry-run --url https://…</code>
      </pre>
    </>
  )
}

function Step({ value }: { value: WorkspaceImports }) {
  const { import: found, isBusy } = value
  usePolling(workspaceImports, isBusy)
  const state = found?.state
  // A new row of the list of past imports, its end, and its people.
  const before = useRef(state)
  useEffect(() => {
    if (before.current !== state) {
      importList.invalidate()
      importedPeople.invalidate()
    }
    before.current = state
  }, [state])
  if (!found || state === 'uploading' || state === 'uploaded') return <ChooseExport value={value} />
  if (state === 'ready') return <ImportReview key={found.id} found={found} />
  if (state === 'done') return <ImportDone found={found} />
  if (state === 'failed') return <Failed found={found} isBusy={isBusy} />
  return <Running found={found} />
}

function Running({ found }: { found: WorkspaceImport }) {
  const { state, messages, totalMessages } = found
  const cancel = useAction()
  const isPreview = state === 'checking'
  const counts = { messages, total: totalMessages ?? 0 }
  const text = isPreview
    ? i18n._('Reading the export: {messages, plural, one {# message} other {# messages}}', counts)
    : totalMessages === null
      ? i18n._('Preparing the import: {messages, plural, one {# message} other {# messages}} read', counts)
      : i18n._('Importing: {messages, number} of {total, plural, one {# message} other {# messages}}', counts)
  return (
    <div className={styles.state}>
      <Progress text={text} part={totalMessages ? messages / totalMessages : null} />
      <p className="note">
        {isPreview
          ? i18n._('Nothing is written yet. You can leave this page.')
          : i18n._('You can leave this page. Linnet stays usable in the meantime.')}
      </p>
      <div>
        <Button busy={cancel.busy} onClick={() => void cancel.run(() => cancelImport(found))}>
          {isPreview ? i18n._('Cancel') : i18n._('Pause import')}
        </Button>
      </div>
      {cancel.failure ? <p role="alert">{cancel.failure}</p> : null}
    </div>
  )
}

function Failed({ found, isBusy }: { found: WorkspaceImport; isBusy: boolean }) {
  const { startedAt, failure, reason } = found
  const next = useAction()
  const [isDiscarding, setDiscarding] = useState(false)
  const canContinue = startedAt !== null
  return (
    <div className={styles.state}>
      <FailureNotice
        title={
          canContinue
            ? i18n._('The import was interrupted. What it has written so far is in the workspace.')
            : i18n._('This file can’t be imported.')
        }
        failure={failure ?? 'command_failed'}
        reason={reason}
        isPaused={canContinue && failure === 'interrupted'}
      />
      <div className={settings.line}>
        {canContinue ? (
          <Button
            variant="primary"
            disabled={isBusy}
            busy={next.busy}
            onClick={() => void next.run(() => continueImport(found))}
          >
            {i18n._('Continue import')}
          </Button>
        ) : null}
        <Button
          variant={canContinue ? 'quiet' : 'primary'}
          onClick={() => (canContinue ? setDiscarding(true) : void next.run(() => removeImport(found)))}
        >
          {canContinue ? i18n._('Don’t continue') : i18n._('Choose another file')}
        </Button>
      </div>
      {next.failure ? <p role="alert">{next.failure}</p> : null}
      {isDiscarding ? (
        <ConfirmDialog
          title={i18n._('End this import?')}
          text={i18n._(
            'The uploaded file is deleted. What has been imported so far stays, until you undo the import in the list below.',
          )}
          action={i18n._('End import')}
          isDestructive
          run={() => removeImport(found)}
          onClose={() => setDiscarding(false)}
        />
      ) : null}
    </div>
  )
}
