import { i18n } from '@lingui/core'
import { useFileUrl } from '../../../data/files/download/files.ts'
import { useDelayed } from '../../../ui/useDelayed.ts'
import { Failed } from '../shown/Failed.tsx'
import { NotShown } from './NotShown.tsx'
import type { ShownFile } from './ShownFile.ts'
import styles from './FileViewer.module.css'

/** A PDF in the browser's own reader, where it has one that opens in a page. */
export function Paper(props: { shown: ShownFile; onSave: () => void; onAgain: () => void }) {
  const { shown, onSave } = props
  if (!navigator.pdfViewerEnabled)
    return (
      <NotShown
        file={shown.file}
        words={i18n._('This browser can’t display PDFs. Download it to read it.')}
        onSave={onSave}
      />
    )
  return <Framed {...props} />
}

function Framed({
  shown: { channelId, file },
  onSave,
  onAgain,
}: {
  shown: ShownFile
  onSave: () => void
  onAgain: () => void
}) {
  const { url, status } = useFileUrl(channelId, file.id, 'file', file.name)
  const waiting = useDelayed(status === 'loading')
  if (status === 'failed') return <Failed words={i18n._('This file couldn’t be loaded.')} onAgain={onAgain} />
  if (!url) return waiting ? <p className={styles.soft}>{i18n._('Loading…')}</p> : null
  // Only from an address of its own kind: bytes of this page would be read under its own policy, which lets no reader run.
  if (url.startsWith('blob:'))
    return (
      <NotShown
        file={file}
        words={i18n._('This PDF can’t be previewed. Download it to read it.')}
        onSave={onSave}
      />
    )
  // A sandboxed frame has no reader; the worker answers with this one type and nothing that runs.
  // oxlint-disable-next-line react/iframe-missing-sandbox
  return <iframe src={url} title={file.name} className={styles.paper} />
}
