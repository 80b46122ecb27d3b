-- The default privileges of a hosted project give the API roles privileges on each new sequence: update always, and
-- usage and select too in projects from before October 2026. Identity columns need none of them.

revoke all on sequence public.reactions_position_seq, public.mentions_id_seq
  from public, anon, authenticated, service_role;
