import { i18n } from '@lingui/core'
import type { ImportReport, WorkspaceImport } from '../../../../wire/moving.ts'
import { importReceipt, removeImport } from '../../../data/administration/importExport.ts'
import { saveBlob } from '../../../data/files/download/saveFile.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { useOverlay } from '../../../features/parts/overlays/OverlayContext.ts'
import { Button } from '../../../ui/Button.tsx'
import { useAction } from '../../../ui/useAction.ts'
import settings from '../SettingsPane.module.css'
import { ImportSummary } from './ImportSummary.tsx'
import styles from './MovingPane.module.css'

/** What an import has done. */
export function ImportDone({ found }: { found: WorkspaceImport }) {
  const receipt = useQuery(importReceipt, [found.id])
  const close = useAction()
  const open = useOverlay()
  const save = (report: ImportReport) =>
    saveBlob(
      new Blob([JSON.stringify(report, null, 2)], { type: 'application/json' }),
      `${found.product}-import.json`,
    )
  return (
    <div className={styles.state}>
      <p role="status">{i18n._('The import is complete.')}</p>
      <QueryContent query={receipt} loading={i18n._('Loading…')}>
        {(report) => (
          <>
            <ImportSummary report={report} />
            <div className={settings.line}>
              <Button
                variant="primary"
                busy={close.busy}
                onClick={() => void close.run(() => removeImport(found))}
              >
                {i18n._('Done')}
              </Button>
              {report.channels.some(({ kind }) => kind === 'public') ? (
                <Button onClick={() => open({ kind: 'browse-channels' })}>{i18n._('Show channels')}</Button>
              ) : null}
              <Button onClick={() => void save(report)}>{i18n._('Download whole receipt')}</Button>
            </div>
          </>
        )}
      </QueryContent>
      {close.failure ? <p role="alert">{close.failure}</p> : null}
    </div>
  )
}
