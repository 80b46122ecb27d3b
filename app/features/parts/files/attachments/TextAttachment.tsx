import { i18n } from '@lingui/core'
import ChevronDown from 'lucide-react/icons/chevron-down'
import ChevronUp from 'lucide-react/icons/chevron-up'
import { useId, useState } from 'react'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { cx } from '../../../../ui/cx.ts'
import fileStyles from './FileAttachment.module.css'
import { FileRow, type FileProps } from './FileRow.tsx'
import { isCode } from './isCode.ts'
import { isTable, parseTable, withoutLastLine } from './parseTable.ts'
import { TableOfText } from './TableOfText.tsx'
import { useTextFile } from './useTextFile.ts'
import { FileError } from './FileError.tsx'

/** Bytes fetched for the first lines. */
const PREVIEW_BYTES = 4096

/** A text file, with its first lines on demand. */
export function TextAttachment(props: FileProps) {
  const { name } = props.file
  const [open, setOpen] = useState(false)
  const [tries, setTries] = useState(0)
  const id = useId()
  return (
    <div className={fileStyles.text}>
      <FileRow {...props} canOpen>
        <IconButton
          label={i18n._('Preview of {name}', { name })}
          icon={<Icon of={open ? ChevronUp : ChevronDown} size={20} />}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          className={fileStyles.action}
          onClick={() => setOpen(!open)}
        />
      </FileRow>
      {open ? (
        <div id={id} className={fileStyles.lines}>
          <FirstLines key={tries} {...props} onRetry={() => setTries(tries + 1)} />
        </div>
      ) : null}
    </div>
  )
}

function FirstLines({ channelId, file, onShow, onRetry }: FileProps & { onRetry: () => void }) {
  const result = useTextFile(channelId, file, PREVIEW_BYTES)
  if (!result) return null
  if (!result.ok) return <FileError text={result.failure.message} onRetry={onRetry} />
  const { text, cut } = result.value
  if (text.trim() === '') return <p className="note">{i18n._('This file is empty.')}</p>
  const lines = text.split(/\r\n|\r|\n/)
  const first = lines.slice(0, 12).join('\n')
  const table = isTable(file) ? parseTable(cut ? withoutLastLine(text) : text) : null
  return (
    <>
      {table ? (
        <TableOfText label={file.name} rows={table.rows.slice(0, 12)} />
      ) : (
        <pre className={cx(fileStyles.textPreview, isCode(file.type) && fileStyles.code)}>{first}</pre>
      )}
      {cut || lines.length > 12 ? (
        <button type="button" className={fileStyles.more} onClick={onShow}>
          {i18n._('Show all')}
        </button>
      ) : null}
    </>
  )
}
