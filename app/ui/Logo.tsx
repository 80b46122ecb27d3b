/** The logo: a linnet, a small brown bird with a red breast. */
export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 64 64" aria-hidden="true">
      <path
        fill="light-dark(#7a5c45, #a88a70)"
        d="M11 28c0-9 7-16 16-16 8 0 14 4 17 11l13 22-5 3-9-3c-4 6-11 9-18 8-9-1-15-9-14-18z"
      />
      <path fill="light-dark(#c9372f, #e4574b)" d="M12 27c3 1 9 3 13 7 4 5 6 11 3 19-10 1-17-8-17-18z" />
      <path
        fill="light-dark(#54402f, #7d644f)"
        d="M31 27c7-1 13 2 17 9l7 10-4 1c-9 0-17-4-20-12-1-3-1-6 0-8z"
      />
      <path fill="light-dark(#3a2c20, #cdb9a5)" d="m12 21-9 6 9 1z" />
      <circle cx="21" cy="21" r="2.4" fill="#1d1712" />
    </svg>
  )
}
