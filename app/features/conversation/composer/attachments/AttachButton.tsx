import { i18n } from '@lingui/core'
import Plus from 'lucide-react/icons/plus'
import { useRef } from 'react'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { FileInput } from './FileInput.tsx'

/** Chooses files to attach. */
export function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton
        label={i18n._('Attach files')}
        icon={<Icon of={Plus} size={20} />}
        onClick={() => input.current?.click()}
      />
      <FileInput ref={input} onFiles={onFiles} />
    </>
  )
}
