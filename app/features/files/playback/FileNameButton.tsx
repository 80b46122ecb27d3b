import { i18n } from '@lingui/core'
import fileStyles from '../attachments/FileAttachment.module.css'
import { FileName } from '../names/FileName.tsx'

/** The name of a file; a press shows the file in the viewer. */
export function FileNameButton({ name, onShow }: { name: string; onShow: () => void }) {
  return (
    <button
      type="button"
      className={fileStyles.nameButton}
      aria-label={i18n._('Show {name}', { name })}
      onClick={onShow}
    >
      <FileName name={name} />
    </button>
  )
}
