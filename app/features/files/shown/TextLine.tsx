import { i18n } from '@lingui/core'
import ChevronDown from 'lucide-react/icons/chevron-down'
import ChevronUp from 'lucide-react/icons/chevron-up'
import { useId, useState } from 'react'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { cx } from '../../../ui/cx.ts'
import line from './FileLine.module.css'
import { PlainLine, type FileProps } from './PlainLine.tsx'
import { isCode } from './isCode.ts'
import { useText } from './useText.ts'
import { Failed } from './Failed.tsx'

/** What a look at the first lines costs at most. */
const BYTES = 4096

/** A text: its first lines below, when wanted. */
export function TextLine(props: FileProps) {
  const { name } = props.file
  const [open, setOpen] = useState(false)
  const [tries, setTries] = useState(0)
  const id = useId()
  return (
    <div className={line.text}>
      <PlainLine {...props} opens>
        <IconButton
          label={i18n._('Preview of {name}', { name })}
          icon={<Icon of={open ? ChevronUp : ChevronDown} size={20} />}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          className={line.deed}
          onClick={() => setOpen(!open)}
        />
      </PlainLine>
      {open ? (
        <div id={id} className={line.lines}>
          <FirstLines key={tries} {...props} onAgain={() => setTries(tries + 1)} />
        </div>
      ) : null}
    </div>
  )
}

function FirstLines({ channelId, file, onShow, onAgain }: FileProps & { onAgain: () => void }) {
  const read = useText(channelId, file, BYTES)
  if (!read) return null
  if (!read.ok) return <Failed words={read.failure.sentence} onAgain={onAgain} />
  const { text, cut } = read.value
  if (text.trim() === '') return <p className={line.soft}>{i18n._('This file is empty.')}</p>
  const lines = text.split(/\r\n|\r|\n/)
  const first = lines.slice(0, 12).join('\n')
  return (
    <>
      <pre className={cx(line.pre, isCode(file.type) && line.code)}>{first}</pre>
      {cut || lines.length > 12 ? (
        <button type="button" className={line.more} onClick={onShow}>
          {i18n._('Show all')}
        </button>
      ) : null}
    </>
  )
}
