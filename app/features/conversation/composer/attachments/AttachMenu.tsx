import { i18n } from '@lingui/core'
import ChartBar from 'lucide-react/icons/chart-no-axes-column'
import Paperclip from 'lucide-react/icons/paperclip'
import Plus from 'lucide-react/icons/plus'
import { useRef } from 'react'
import { Icon } from '../../../../ui/Icon.tsx'
import { MenuButton } from '../../../../ui/MenuButton.tsx'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'
import { FileInput } from './FileInput.tsx'

interface Props {
  onFiles: (files: File[]) => void
  channelId: string
  threadRoot: string | null
}

/** The first button of the composer of a touch phone, whose row has no room for all: it opens a menu with files and polls. */
export default function AttachMenu({ onFiles, channelId, threadRoot }: Props) {
  const open = useOverlay()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <MenuButton
        label={i18n._('Add to the message')}
        icon={<Icon of={Plus} size={20} />}
        items={[
          {
            label: i18n._('Attach files'),
            icon: <Icon of={Paperclip} />,
            onSelect: () => input.current?.click(),
          },
          {
            label: i18n._('Start a poll'),
            icon: <Icon of={ChartBar} />,
            onSelect: () => open({ kind: 'create-poll', channelId, threadRoot }),
          },
        ]}
      />
      <FileInput ref={input} onFiles={onFiles} />
    </>
  )
}
