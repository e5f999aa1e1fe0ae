# Copies the site to the harbour computer, after asking once.
param(
    [Parameter(Mandatory = $true)][string]$Target,
    [switch]$Force
)

$files = Get-ChildItem -Path site -Recurse -File
Write-Host "$($files.Count) files to $Target"
if (-not $Force) {
    $answer = Read-Host 'Continue? (y/n)'
    if ($answer -ne 'y') { exit 1 }
}
foreach ($file in $files) {
    Copy-Item -Path $file.FullName -Destination $Target
}
