import { i18n } from '@lingui/core'
import fileStyles from '../attachments/FileAttachment.module.css'
import { FileName } from './FileName.tsx'

interface Props {
  name: string
  onShow: () => void
  /** Replaces the style of the name in a player. */
  className?: string | undefined
}

/** The name of a file; a press shows the file in the viewer. */
export function FileNameButton({ name, onShow, className = fileStyles.nameButton }: Props) {
  return (
    <button type="button" className={className} aria-label={i18n._('Show {name}', { name })} onClick={onShow}>
      <FileName name={name} />
    </button>
  )
}
