import { i18n } from '@lingui/core'
import { useFileUrl } from '../../../../data/files/download/useFileUrl.ts'
import { useDelayed } from '../../../../ui/useDelayed.ts'
import { FileError } from '../attachments/FileError.tsx'
import { NoPreview } from './NoPreview.tsx'
import type { ViewedFile } from './ViewedFile.ts'
import styles from './FileViewer.module.css'

/** A PDF in the browser's own viewer, where it has one. */
export function PdfView(props: { shown: ViewedFile; onDownload: () => void; onRetry: () => void }) {
  const { shown, onDownload } = props
  if (!navigator.pdfViewerEnabled)
    return (
      <NoPreview
        file={shown.file}
        text={i18n._('This browser can’t display PDFs. Download the file to read it.')}
        onDownload={onDownload}
      />
    )
  return <PdfFrame {...props} />
}

function PdfFrame({
  shown: { channelId, file },
  onDownload,
  onRetry,
}: {
  shown: ViewedFile
  onDownload: () => void
  onRetry: () => void
}) {
  const { url, status } = useFileUrl(channelId, file.id, 'file', file.name)
  const waiting = useDelayed(status === 'loading')
  if (status === 'failed')
    return <FileError text={i18n._('This file couldn’t be loaded.')} onRetry={onRetry} />
  if (!url) return waiting ? <p className={styles.muted}>{i18n._('Loading…')}</p> : null
  // A blob URL inherits the content security policy of this page, which blocks the PDF viewer.
  if (url.startsWith('blob:'))
    return (
      <NoPreview
        file={file}
        text={i18n._('This PDF can’t be previewed. Download the file to read it.')}
        onDownload={onDownload}
      />
    )
  // A sandboxed frame has no reader; the worker answers with this one type and nothing that runs.
  // oxlint-disable-next-line react/iframe-missing-sandbox
  return <iframe src={url} title={file.name} className={styles.pdf} />
}
